import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';

const require = createRequire(import.meta.url);

/** Where the tracker finds its endpoints unless a tag says otherwise. */
export const DEFAULT_ENDPOINTS = '/api/v1/track';
/** Where the tracker is in any case. */
const DEFAULT_PATH = '/js/affkit.js';
/** How the tracker knows its tag where the browser does not tell it: by this in its address. */
const DEFAULT_MARK = 'script[src*=affkit]';

/** The operator's choice of addresses; lists of what to block name the default ones. */
export interface TrackerPaths {
  /** Path of the script. @default '/js/affkit.js' */
  readonly script?: string | undefined;
  /** Path that has `/click` and `/lead` below it, beside the default one. @default '/api/v1/track' */
  readonly endpoints?: string | undefined;
}

/** The tracker as this server gives it out. */
export interface TrackerScript {
  readonly source: string;
  readonly gzipped: Buffer;
  /** Its short-lived addresses: the default one, and the operator's. */
  readonly paths: readonly string[];
  /** Its address for good: another source has another one. */
  readonly versionedPath: string;
  /** For the `integrity` of a tag. */
  readonly integrity: string;
  /** Where it sends its requests. */
  readonly endpoints: string;
}

/**
 * The tracker as it was built.
 * @throws Error that says what to do when it has not been
 */
export function readTrackerScript(): string {
  try {
    return readFileSync(require.resolve('@affkit/tracker/script'), 'utf8');
  } catch (error) {
    throw new Error('The tracker is not built: run "npm run build" first', { cause: error });
  }
}

/** Writes the operator's addresses into the tracker, so that a plain tag has them too. */
export function prepareTracker(
  built: string,
  { script = DEFAULT_PATH, endpoints = DEFAULT_ENDPOINTS }: TrackerPaths = {},
): TrackerScript {
  const stem = script.replace(/\.js$/, '');
  const mark = script === DEFAULT_PATH ? DEFAULT_MARK : `script[src*='${stem}']`;
  const source = built.replace(DEFAULT_ENDPOINTS, endpoints).replace(DEFAULT_MARK, mark);
  const digest = createHash('sha384').update(source).digest();
  return {
    source,
    gzipped: gzipSync(source, { level: 9 }),
    paths: [...new Set([DEFAULT_PATH, script])],
    versionedPath: `${stem}.${digest.toString('hex').slice(0, 16)}.js`,
    integrity: `sha384-${digest.toString('base64')}`,
    endpoints,
  };
}
