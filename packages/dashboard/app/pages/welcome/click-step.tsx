import type { JSX } from 'preact';
import { useProgram } from '../../session/session.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Link } from '../../ui/link.tsx';
import { LiveCheck, useSetup } from '../setup/live-check.tsx';
import { useFirstPartner } from './partner-step.tsx';

/** Waits for the first click, and for what follows it. */
export function ClickStep({ partnerStep }: { partnerStep: string }): JSX.Element {
  const { page } = useProgram();
  const { partner } = useFirstPartner();
  const { setup } = useSetup();
  const link = partner?.links[0];
  const hasClick = setup?.steps.some(({ step, state }) => step === 'click' && state === 'received') ?? false;
  return (
    <div class="stack">
      <section class="card stack" aria-labelledby="click-step">
        <div>
          <h2 id="click-step">{hasClick ? 'The first click has arrived' : 'Open the partner’s link'}</h2>
          <p class="quiet">
            {hasClick
              ? 'Your site is connected. Sign-ups and sales follow when your server reports them.'
              : 'It leads to your site, where the tracker records the visit.'}
          </p>
        </div>
        {!hasClick &&
          (link ? (
            <>
              <CopyText label="Partner link" text={link.url} />
              <div>
                <a class="button primary" href={link.url} target="_blank" rel="noreferrer">
                  Open the link in a new tab
                </a>
              </div>
            </>
          ) : (
            <p>
              There is no partner yet. <Link to={partnerStep}>Invite the first one</Link> to get a link.
            </p>
          ))}
        <div class="dialog-end">
          {hasClick && (
            <Link to={`${page}/setup`} button="normal">
              Connect your server
            </Link>
          )}
          <Link to={page} button={hasClick ? 'primary' : 'normal'}>
            {hasClick ? 'Go to the overview' : 'Finish later'}
          </Link>
        </div>
      </section>
      <LiveCheck />
    </div>
  );
}
