import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { StaticDocument } from '@affkit/core';

const require = createRequire(import.meta.url);

/** The default path of the endpoints, which the tracker uses unless its tag contains another path. */
export const DEFAULT_ENDPOINTS = '/api/v1/track';
/** The tracker is always served at this path. */
const DEFAULT_PATH = '/js/affkit.js';
/** The selector by which the tracker finds its own tag if `document.currentScript` is null. */
const DEFAULT_SELECTOR = 'script[src*=affkit]';

/** How long browsers may use the script at an unversioned path without revalidation. */
const MAX_AGE_SECONDS = 300;
/** The content of a versioned path never changes. */
const VERSIONED_MAX_AGE_SECONDS = 31_536_000;

const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cross-origin-resource-policy': 'cross-origin',
} as const;
const LATEST_HEADERS = { ...SCRIPT_HEADERS, 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` };
const VERSIONED_HEADERS = {
  ...SCRIPT_HEADERS,
  // For a cross-origin script, browsers check `integrity` only with CORS.
  'access-control-allow-origin': '*',
  'cache-control': `public, max-age=${VERSIONED_MAX_AGE_SECONDS}, immutable`,
};

/** Additional paths, which the operator can set because ad-block lists contain the default paths. */
export interface TrackerPaths {
  /**
   * The path of the script, in addition to the default path. The linker has the same path, with `-linker.js`
   * instead of `.js`.
   * @default '/js/affkit.js'
   */
  readonly script?: string | undefined;
  /**
   * The path under which the script calls `/click` and `/lead`. The default path keeps working too.
   * @default '/api/v1/track'
   */
  readonly endpoints?: string | undefined;
}

/** The text of each file of the built tracker. */
export interface TrackerFiles {
  readonly script: string;
  /** The linker. It passes clicks to other domains of a site and needs its own tag. */
  readonly linker: string;
}

/** The attributes of a tag that loads one version of a file. */
export interface VersionedFile {
  /** Contains a hash of the file, so the content at this path never changes. */
  readonly path: string;
  /** The value of the `integrity` attribute. */
  readonly integrity: string;
}

/** The tracker, as served by this server. */
export interface TrackerScript {
  /**
   * The documents by path. Each file has its default path, the operator's path, and a versioned path.
   * Browsers may cache versioned paths forever, and the other paths for a short time.
   */
  readonly documents: ReadonlyMap<string, StaticDocument>;
  readonly script: VersionedFile;
  readonly linker: VersionedFile;
  /** The parent path of the endpoints that the script calls. */
  readonly endpoints: string;
}

/**
 * Reads the files of the built tracker.
 * @throws Error when the tracker has not been built
 */
export function readTracker(): TrackerFiles {
  try {
    return {
      script: readFileSync(require.resolve('@affkit/tracker/script'), 'utf8'),
      linker: readFileSync(require.resolve('@affkit/tracker/linker'), 'utf8'),
    };
  } catch (error) {
    throw new Error('The tracker is not built. Run "npm run build" first.', { cause: error });
  }
}

/**
 * Replaces the default paths in the script, so that even a script tag without attributes uses the operator's
 * paths.
 */
export function prepareTracker(
  built: TrackerFiles,
  { script = DEFAULT_PATH, endpoints = DEFAULT_ENDPOINTS }: TrackerPaths = {},
): TrackerScript {
  const stem = stemOf(script);
  const selector = script === DEFAULT_PATH ? DEFAULT_SELECTOR : `script[src*='${stem}']`;
  const source = built.script.replace(DEFAULT_ENDPOINTS, endpoints).replace(DEFAULT_SELECTOR, selector);
  const documents = new Map<string, StaticDocument>();
  const addFile = (text: string, ending: string): VersionedFile => {
    const digest = createHash('sha384').update(text).digest();
    const path = `${stem}${ending}.${digest.toString('hex').slice(0, 16)}.js`;
    const latest = new StaticDocument(text, LATEST_HEADERS);
    for (const name of [stemOf(DEFAULT_PATH), stem]) documents.set(`${name}${ending}.js`, latest);
    documents.set(path, new StaticDocument(text, VERSIONED_HEADERS));
    return { path, integrity: `sha384-${digest.toString('base64')}` };
  };
  return { script: addFile(source, ''), linker: addFile(built.linker, '-linker'), documents, endpoints };
}

const stemOf = (path: string) => path.replace(/\.js$/, '');
