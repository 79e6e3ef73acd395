import type { JSX } from 'preact';
import * as messages from '#messages/setup.tsx';
import { API_PATH } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { ChoiceLinks } from '../../ui/choice-links.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { GuideView } from './guide-view.tsx';
import { isLoopback, programTargetOf, SITE_SNIPPETS, type SiteGuide } from './snippets.ts';

const SITE_CHOICES = Object.entries(messages.siteGuides).map(([value, { name }]) => ({
  value: value as SiteGuide,
  text: name,
}));

/** Explains how to add the tracker to a site. The URL determines the framework. */
export function SiteGuides(): JSX.Element {
  const { program } = useProgram();
  const [{ site = '' }] = useQueryState();
  const value = site in SITE_SNIPPETS ? (site as SiteGuide) : 'script';
  const target = programTargetOf(location.origin, API_PATH, program);
  return (
    <div class="stack">
      <ChoiceLinks label={messages.site} parameter="site" choices={SITE_CHOICES} value={value} />
      <GuideView guide={messages.siteGuides[value]} snippets={SITE_SNIPPETS[value](target)} />
      {isLoopback(target.api) && <p class="notice warn small">{messages.loopbackWarning(target.api)}</p>}
      {API_PATH !== '' && <p class="quiet small">{messages.embeddedNote}</p>}
    </div>
  );
}
