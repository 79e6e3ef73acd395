import type { JSX } from 'preact';
import * as messages from '#messages/welcome.tsx';
import { useProgram } from '../../session/session.tsx';
import { CopySecret } from '../../ui/copy-secret.tsx';
import { Link } from '../../ui/link.tsx';
import { SiteGuides } from '../setup/site-guides.tsx';
import { TrackingToken } from '../setup/tracking-token.tsx';
import { StepEnd } from './step-end.tsx';
import { StepHeading } from './step-heading.tsx';

/**
 * The step that adds the tracker to the site and shows the token for the server.
 * @param token null after a reload, because a token is shown only once
 */
export function SiteStep({ token, next }: { token: string | null; next: string }): JSX.Element {
  const { page } = useProgram();
  return (
    <section class="card stack" aria-labelledby="site-step">
      <StepHeading id="site-step" title={messages.siteTitle} intro={messages.siteIntro} />
      <SiteGuides />
      {token === null ? (
        <TrackingToken />
      ) : (
        <CopySecret label={messages.token} text={token} hint={messages.tokenHint} />
      )}
      <p class="quiet small">
        {messages.serverLater((text) => (
          <Link to={`${page}/setup`}>{text}</Link>
        ))}
      </p>
      <StepEnd>
        <Link to={next} button="primary">
          {messages.next}
        </Link>
      </StepEnd>
    </section>
  );
}
