import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { StaticDocument } from '@affkit/core';

const require = createRequire(import.meta.url);

/** Path below which the tracker finds its endpoints, unless its tag sets another one. */
export const DEFAULT_ENDPOINTS = '/api/v1/track';
/** The tracker is always served at this path. */
const DEFAULT_PATH = '/js/affkit.js';
/** Selector by which the tracker finds its own tag if `document.currentScript` is null. */
const DEFAULT_SELECTOR = 'script[src*=affkit]';

/** How long browsers may use the cached tracker before they revalidate it. */
const MAX_AGE_SECONDS = 300;
/** The content at the versioned path never changes. */
const VERSIONED_MAX_AGE_SECONDS = 31_536_000;

const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** Additional paths of the operator, because block lists contain the default paths. */
export interface TrackerPaths {
  /** Path of the script, in addition to the default path. @default '/js/affkit.js' */
  readonly script?: string | undefined;
  /** Parent path of `/click` and `/lead`, in addition to the default path. @default '/api/v1/track' */
  readonly endpoints?: string | undefined;
}

/** The tracker script as this server serves it. */
export interface TrackerScript {
  /** Served at `paths`. Browsers cache it for a short time. */
  readonly latest: StaticDocument;
  /** The default path and the operator's path. */
  readonly paths: readonly string[];
  /** Served at `versionedPath`. Browsers cache it forever. */
  readonly versioned: StaticDocument;
  /** Contains a hash of the source, so its content never changes. */
  readonly versionedPath: string;
  /** Value of the `integrity` attribute. */
  readonly integrity: string;
  /** Parent path of the endpoints that the script calls. */
  readonly endpoints: string;
}

/**
 * Reads the built tracker script.
 * @throws Error when the tracker has not been built
 */
export function readTrackerScript(): string {
  try {
    return readFileSync(require.resolve('@affkit/tracker/script'), 'utf8');
  } catch (error) {
    throw new Error('The tracker is not built. Run "npm run build" first.', { cause: error });
  }
}

/** Replaces the default paths in the source, so that a tag without attributes uses the operator's paths. */
export function prepareTracker(
  built: string,
  { script = DEFAULT_PATH, endpoints = DEFAULT_ENDPOINTS }: TrackerPaths = {},
): TrackerScript {
  const stem = script.replace(/\.js$/, '');
  const selector = script === DEFAULT_PATH ? DEFAULT_SELECTOR : `script[src*='${stem}']`;
  const source = built.replace(DEFAULT_ENDPOINTS, endpoints).replace(DEFAULT_SELECTOR, selector);
  const digest = createHash('sha384').update(source).digest();
  return {
    latest: new StaticDocument(source, {
      ...SCRIPT_HEADERS,
      'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
    }),
    versioned: new StaticDocument(source, {
      ...SCRIPT_HEADERS,
      // Browsers check the `integrity` of a cross-origin script only with CORS.
      'access-control-allow-origin': '*',
      'cache-control': `public, max-age=${VERSIONED_MAX_AGE_SECONDS}, immutable`,
    }),
    paths: [...new Set([DEFAULT_PATH, script])],
    versionedPath: `${stem}.${digest.toString('hex').slice(0, 16)}.js`,
    integrity: `sha384-${digest.toString('base64')}`,
    endpoints,
  };
}
