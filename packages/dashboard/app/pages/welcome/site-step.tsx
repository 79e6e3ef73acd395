import type { JSX } from 'preact';
import { useProgram } from '../../session/session.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Link } from '../../ui/link.tsx';
import { SiteGuides } from '../setup/site-guides.tsx';

/** The tracker for the site, and the token that only this step shows. */
export function SiteStep({ token, next }: { token: string | null; next: string }): JSX.Element {
  const { page } = useProgram();
  return (
    <section class="card stack" aria-labelledby="site-step">
      <div>
        <h2 id="site-step">Add the tracker to your site</h2>
        <p class="quiet">It records the visits that come through partners’ links.</p>
      </div>
      <SiteGuides />
      {token !== null && (
        <CopyText
          label="Tracking token, for your server"
          text={token}
          hint="Store it on your server as AFFKIT_TOKEN now. It is not shown again, but you can create a new one."
        />
      )}
      <p class="quiet small">
        Your server reports sign-ups and sales. <Link to={`${page}/setup`}>Setup</Link> has the code for it,
        at any time.
      </p>
      <div class="dialog-end">
        <Link to={next} button="primary">
          Continue
        </Link>
      </div>
    </section>
  );
}
