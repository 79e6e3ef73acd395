import * as messages from '#messages/setup.tsx';
import {
  NEXT_LAYOUT,
  nextTracking,
  reactTracking,
  type SnippetTarget,
  scriptTag,
  snippetTargetOf,
  trackerModule,
  wordpressHook,
} from '../../../src/snippets.ts';
import type { Program } from '../../api/types.ts';

/** Code to copy, and the place where it belongs. */
export interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** The target of the snippets. The page shows one program, so the program is always known. */
type ProgramTarget = SnippetTarget & { readonly programId: number; readonly currency: string };

export type SnippetsOf = (target: ProgramTarget) => readonly Snippet[];

export function programTargetOf(
  origin: string,
  apiPath: string,
  { id, currency }: Pick<Program, 'id' | 'currency'>,
): ProgramTarget {
  return { ...snippetTargetOf(origin, apiPath, id), programId: id, currency };
}

/** Whether the URL can be reached only from this computer. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]';
}

function tagManagerTag({ api, script, programId }: ProgramTarget): string {
  return `<script>
  var tag = document.createElement('script');
  tag.src = '${script}';
  tag.dataset.baseUrl = '${api}';
  tag.dataset.program = '${programId}';
  document.head.append(tag);
</script>`;
}

const INSTALL: Snippet = { title: messages.inTerminal, code: 'npm install @affkit/tracker' };

/** The ways to add the tracker to a site. */
export const SITE_SNIPPETS = {
  script: (target) => [{ title: messages.inHtml, code: scriptTag(target) }],
  module: (target) => [INSTALL, { title: messages.inCode, code: trackerModule(target) }],
  react: (target) => [INSTALL, { title: messages.inRoot, code: reactTracking(target) }],
  next: (target) => [
    INSTALL,
    { title: 'app/tracking.tsx', code: nextTracking(target) },
    {
      title: 'app/layout.tsx',
      code: `${NEXT_LAYOUT.importLine}

// ${messages.comments.layout}
${NEXT_LAYOUT.element}`,
    },
  ],
  gtm: (target) => [{ title: messages.inTag, code: tagManagerTag(target) }],
  wordpress: (target) => [{ title: 'functions.php', code: wordpressHook(target) }],
  shopify: (target) => [{ title: 'layout/theme.liquid', code: scriptTag(target) }],
} as const satisfies Readonly<Record<SiteGuide, SnippetsOf>>;

export type SiteGuide = keyof typeof messages.siteGuides;
