import type { JSX } from 'preact';
import * as partners from '#messages/partners.ts';
import * as messages from '#messages/welcome.tsx';
import { useProgram } from '../../session/session.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Link } from '../../ui/link.tsx';
import { LiveCheck, useSetup } from '../setup/live-check.tsx';
import { useFirstPartner } from './partner-step.tsx';
import { StepEnd } from './step-end.tsx';
import { StepHeading } from './step-heading.tsx';

/** Waits for the first click, and then shows it with all later events. */
export function ClickStep({ partnerStep }: { partnerStep: string }): JSX.Element {
  const { page } = useProgram();
  const { partner } = useFirstPartner();
  const { setup } = useSetup();
  const link = partner?.links[0];
  const hasClick = setup?.steps.some(({ step, state }) => step === 'click' && state === 'received') ?? false;
  return (
    <div class="stack">
      <section class="card stack" aria-labelledby="click-step">
        <StepHeading
          id="click-step"
          title={hasClick ? messages.clickArrived : messages.clickTitle}
          intro={hasClick ? messages.clickArrivedIntro : messages.clickIntro}
        />
        {!hasClick &&
          (link ? (
            <>
              <CopyText label={partners.link} text={link.url} />
              <div>
                <a class="button primary" href={link.url} target="_blank" rel="noreferrer">
                  {messages.openLink}
                </a>
              </div>
            </>
          ) : (
            <p>
              {messages.noLink((text) => (
                <Link to={partnerStep}>{text}</Link>
              ))}
            </p>
          ))}
        <StepEnd>
          {hasClick && (
            <Link to={`${page}/setup`} button="normal">
              {messages.connectServer}
            </Link>
          )}
          <Link to={page} button={hasClick ? 'primary' : 'normal'}>
            {hasClick ? messages.toOverview : messages.finishLater}
          </Link>
        </StepEnd>
      </section>
      <LiveCheck />
    </div>
  );
}
