import { readFileSync } from 'node:fs';

/** A built file of the dashboard, with its compressed forms. */
export interface DashboardFile {
  /** Path below the mount point, for example `assets/main-4f1c.js`. */
  readonly path: string;
  /** Value of the `content-type` header. */
  readonly type: string;
  /** SHA-256 of the content, base64url. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
  /** Of `index.html`: what each page loads at once, by its path below the mount point. `*` is a number. */
  readonly preloads?: Readonly<Record<string, PagePreloads>>;
}

/** What a page loads at once, besides what `index.html` names. */
export interface PagePreloads {
  /** Paths of scripts below the mount point. */
  readonly scripts: readonly string[];
  /** Paths of routes below the mount point of the API, with their query. */
  readonly requests: readonly string[];
  /** HTML that the page shows until its scripts have run. */
  readonly skeleton?: string;
}

/** A row of `manifest.json`, which the build writes. */
export type ManifestEntry = Omit<DashboardFile, 'bytes' | 'gzip' | 'brotli'>;

const FOLDER = new URL('../dist/app/', import.meta.url);

/**
 * Reads the files of the dashboard. All of them have a hash in their name, except `index.html`, which contains
 * placeholders: the adapters replace them with the mount path.
 * @throws Error when the package has not been built
 */
export function readFiles(): readonly DashboardFile[] {
  return readManifest().map((entry) => ({
    ...entry,
    bytes: read(entry.path),
    gzip: read(`${entry.path}.gz`),
    brotli: read(`${entry.path}.br`),
  }));
}

function readManifest(): readonly ManifestEntry[] {
  try {
    return JSON.parse(read('manifest.json').toString()) as readonly ManifestEntry[];
  } catch (error) {
    throw new Error('The dashboard is not built. Run "npm run build" first.', { cause: error });
  }
}

function read(path: string): Buffer {
  return readFileSync(new URL(path, FOLDER));
}
