import type { JSX } from 'preact';
import { Page } from '../../ui/page.tsx';
import { LiveCheck } from './live-check.tsx';
import { ServerGuides } from './server-guides.tsx';
import { SiteGuides } from './site-guides.tsx';
import { TrackingToken } from './tracking-token.tsx';

/** How to connect a site and a server to the program, with a live check. */
export function Setup(): JSX.Element {
  return (
    <Page title="Setup" intro="Connect your site and your server, and watch the first events arrive.">
      <div class="beside">
        <div class="stack wide">
          <section class="card stack" aria-labelledby="your-site">
            <div>
              <h2 id="your-site">1. Your site</h2>
              <p class="quiet">Records the visits that come through partners’ links.</p>
            </div>
            <SiteGuides />
          </section>
          <section class="card stack" aria-labelledby="your-server">
            <div>
              <h2 id="your-server">2. Your server</h2>
              <p class="quiet">Reports sign-ups, sales and refunds.</p>
            </div>
            <TrackingToken />
            <ServerGuides />
          </section>
        </div>
        <div class="beside-end">
          <LiveCheck />
        </div>
      </div>
    </Page>
  );
}
