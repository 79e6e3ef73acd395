import type { JSX } from 'preact';
import { API_PATH } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { ChoiceLinks } from '../../ui/choice-links.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { GuideView } from './guide-view.tsx';
import { isLoopback, SITE_GUIDES, type SiteGuide, targetOf } from './snippets.ts';

const CHOICES = Object.entries(SITE_GUIDES).map(([value, { text }]) => ({ value: value as SiteGuide, text }));

/** How to add the tracker to the site, for the framework that the URL names. */
export function SiteGuides(): JSX.Element {
  const { program } = useProgram();
  const [{ site = '' }] = useQueryState();
  const value = site in SITE_GUIDES ? (site as SiteGuide) : 'script';
  const target = targetOf(location.origin, API_PATH, program.id);
  return (
    <div class="stack">
      <ChoiceLinks label="Your site" parameter="site" choices={CHOICES} value={value} />
      <GuideView guide={SITE_GUIDES[value].guide(target)} />
      {isLoopback(target.api) && (
        <p class="notice warn small">
          {target.api} is an address of this computer only. Open this page under the public address of the
          server to get snippets for your live site.
        </p>
      )}
      {API_PATH !== '' && (
        <p class="quiet small">
          Affkit is part of your own app here. If the app serves the tracker elsewhere, change the address of
          the script.
        </p>
      )}
    </div>
  );
}
