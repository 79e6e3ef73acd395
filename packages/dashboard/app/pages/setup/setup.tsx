import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/setup.tsx';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { LiveCheck, useSetup } from './live-check.tsx';
import { ServerGuides } from './server-guides.tsx';
import { SiteGuides } from './site-guides.tsx';
import { TrackingToken } from './tracking-token.tsx';

/** Explains how to connect a site and a server to the program, and checks live which events arrive. */
export function Setup(): JSX.Element {
  return (
    <Page title={common.setup} intro={messages.intro}>
      <div class="beside">
        <div class="stack wide">
          <section class="card stack" aria-labelledby="your-site">
            <div>
              <h2 id="your-site">{messages.siteTitle}</h2>
              <p class="quiet">{messages.siteAbout}</p>
            </div>
            <SiteGuides />
          </section>
          <section class="card stack" aria-labelledby="your-server">
            <div>
              <h2 id="your-server">{messages.serverTitle}</h2>
              <p class="quiet">{messages.serverAbout}</p>
            </div>
            <TrackingToken />
            <ServerGuides />
          </section>
        </div>
        <div class="beside-end stack">
          <LiveCheck />
          <GuidedSetup />
        </div>
      </div>
    </Page>
  );
}

/** A link back to the first steps of a new program. It is shown until the first click. */
function GuidedSetup(): JSX.Element | null {
  const { program, may } = useProgram();
  const { setup } = useSetup();
  const isWaiting = setup?.steps.some(({ step, total }) => step === 'click' && total === 0);
  if (!isWaiting || !may('partner:create')) return null;
  return (
    <p class="small quiet">
      {messages.nothingRecorded} <Link to={`/welcome?program=${program.id}`}>{messages.continueSteps}</Link>
    </p>
  );
}
