import { readFileSync } from 'node:fs';

/** A built file of the dashboard, and its compressed forms. */
export interface DashboardFile {
  /** The path relative to the mount point, such as `assets/main-4f1c.js`. */
  readonly path: string;
  /** The value of the `content-type` header. */
  readonly type: string;
  /** The SHA-256 of the content, in base64url. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
  /**
   * Set only for `index.html`: what each page loads immediately. The keys are page paths relative to the
   * mount point, in which `*` stands for a number.
   */
  readonly preloads?: Readonly<Record<string, PagePreloads>>;
}

/** What a page loads immediately, in addition to the files that `index.html` lists. */
export interface PagePreloads {
  /** The paths of scripts, relative to the mount point. */
  readonly scripts: readonly string[];
  /** The paths of API routes with their queries, relative to the mount point of the API. */
  readonly requests: readonly string[];
  /** The HTML that is shown until the scripts have run. */
  readonly skeleton?: string;
}

/** A row of `manifest.json`. The build writes this file. */
export type ManifestEntry = Omit<DashboardFile, 'bytes' | 'gzip' | 'brotli'>;

const FOLDER = new URL('../dist/app/', import.meta.url);

/**
 * Reads the files of the dashboard. Every file except `index.html` has a hash in its name. `index.html`
 * contains placeholders, which the adapters replace with the mount path.
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
