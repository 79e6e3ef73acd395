/**
 * Code that adds Affkit to an app. The setup page shows it, and `affkit init` writes it. This module must not use
 * Node APIs, because the setup page runs in a browser.
 */

/** The URLs and the program that the snippets contain. */
export interface SnippetTarget {
  /** The base URL of the API, without a trailing slash. */
  readonly api: string;
  /** The URL of the tracker script. */
  readonly script: string;
  /** Null if the clicks may belong to any program. */
  readonly programId: number | null;
}

/**
 * Returns the URLs of an installation. The script tag needs the URL of the API only if the API is mounted
 * below a path. Otherwise, the tracker calls the host that served the script.
 */
export function snippetTargetOf(origin: string, apiPath: string, programId: number | null): SnippetTarget {
  return { api: origin + apiPath, script: `${origin}/js/affkit.js`, programId };
}

/** The tag of the tracker, as HTML that is also valid JSX. */
export function scriptTag({ api, script, programId }: SnippetTarget): string {
  const base = script.startsWith(`${api}/`) ? '' : ` data-base-url="${api}"`;
  const program = programId === null ? '' : ` data-program="${programId}"`;
  return `<script async src="${script}"${base}${program}></script>`;
}

export function trackerModule({ api, programId }: SnippetTarget): string {
  const program = programId === null ? '' : `\n  program: ${programId},`;
  return `import { createTracker } from '@affkit/tracker';

export const tracker = createTracker({
  baseUrl: '${api}',${program}
});`;
}

export function reactTracking({ api, programId }: SnippetTarget): string {
  const program = programId === null ? '' : ` program={${programId}}`;
  return `import { AffkitTracker } from '@affkit/tracker/react';

export const Tracking = () => (
  <AffkitTracker baseUrl="${api}"${program} />
);`;
}

/** The component for the App Router of Next.js. It needs `'use client'`, because layouts run on the server. */
export function nextTracking(target: SnippetTarget): string {
  return `'use client';\n${reactTracking(target)}`;
}

/**
 * The lines that a layout needs to show the component of `nextTracking`. The component must be saved as
 * `tracking` in the folder of the layout.
 */
export const NEXT_LAYOUT = {
  importLine: "import { Tracking } from './tracking';",
  element: '<Tracking />',
} as const;

export function wordpressHook(target: SnippetTarget): string {
  return `add_action('wp_head', function () {
    echo '${scriptTag(target)}';
});`;
}

const ENVIRONMENT = '// Reads AFFKIT_TOKEN and AFFKIT_BASE_URL.';

/** The client of the Node SDK, as a module to import. */
export const NODE_CLIENT = `import { Affkit } from '@affkit/node';

${ENVIRONMENT}
export const affkit = new Affkit();`;

/** Like `NODE_CLIENT`, but as a CommonJS module. */
export const NODE_CLIENT_COMMONJS = `const { Affkit } = require('@affkit/node');

${ENVIRONMENT}
exports.affkit = new Affkit();`;

/** The variables that the Node SDK reads. */
export function nodeEnvironment({ api }: SnippetTarget, token: string): string {
  return `AFFKIT_BASE_URL=${api}\nAFFKIT_TOKEN=${token}`;
}
