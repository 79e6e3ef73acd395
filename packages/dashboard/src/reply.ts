import { createHash } from 'node:crypto';
import { type DashboardFile, type PagePreloads, readFiles } from './files.ts';

/** The options of all adapters. */
export interface DashboardOptions {
  /**
   * The path at which the Affkit API is mounted, without a trailing slash.
   * @default the parent of the dashboard's own path: `/affiliates` for a dashboard at `/affiliates/app`
   */
  readonly apiPath?: string;
  /**
   * The files to serve. Pass the result of `readFiles` if your server is bundled and therefore has no
   * `node_modules`.
   * @default the files of this package
   */
  readonly files?: readonly DashboardFile[];
}

/** The parts of a request that determine the reply. */
export interface PageRequest {
  readonly method: string;
  /** The path of the mount point, without a trailing slash. */
  readonly basePath: string;
  /** The path relative to the mount point. It starts with a slash and has no query. */
  readonly path: string;
  /** Returns a request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

export interface PageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** The HTML of a page for a certain mount path. */
interface MountedPage {
  readonly body: Buffer;
  readonly etag: string;
}

/** The number of characters of a hash in an ETag. In base64url, they contain 132 bits. */
const TAG_LENGTH = 22;
const INDEX = 'index.html';
const BASE_PLACEHOLDER = '__AFFKIT_BASE__';
const API_PLACEHOLDER = '__AFFKIT_API__';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Trusted Types are enforced: the dashboard's code cannot turn strings into scripts or HTML. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  // Allows the preview of an email. The API serves it as a page.
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

const NOT_FOUND_HEADERS = { ...SECURITY_HEADERS, 'cache-control': 'no-store' };

/**
 * Returns a function that replies with the file at the path of a request. A missing file in `assets/` gets a 404.
 * For any other path, the reply is `index.html`, whose script shows the page of that path.
 */
export function createPages(options: DashboardOptions = {}): (request: PageRequest) => PageReply {
  const files = new Map((options.files ?? readFiles()).map((file) => [file.path, file]));
  const index = files.get(INDEX);
  if (index === undefined) throw new Error(`The dashboard has no ${INDEX}. Run "npm run build" again.`);
  const pages = createPageCache(index, options);
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { status: 405, headers: { ...SECURITY_HEADERS, allow: 'GET, HEAD' }, body: null };
    }
    const path = request.path.slice(1);
    const file = path === INDEX ? undefined : files.get(path);
    if (file !== undefined) return replyWithFile(file, request);
    // A missing file usually belongs to another version of the dashboard. The 404 must not be cached: during an update,
    // the next request may reach a server that has the file.
    if (path.startsWith('assets/')) return { status: 404, headers: NOT_FOUND_HEADERS, body: null };
    return replyWithPage(pages(request), request);
  };
}

/** @throws RangeError if `basePath` is not a path, because no request would match it */
export function checkBasePath(basePath: string): string {
  if (basePath !== '' && !/^(?:\/[^/?#]+)+$/.test(basePath)) {
    throw new RangeError(`basePath must be a path such as /affiliates/app, got "${basePath}"`);
  }
  return basePath;
}

/** Returns a function that renders the page for a request. Rendered pages are cached. */
function createPageCache(
  { bytes, preloads = {} }: DashboardFile,
  options: DashboardOptions,
): (request: PageRequest) => MountedPage {
  const template = Buffer.from(bytes).toString();
  const known = new Map(Object.entries(preloads));
  // All replies with a page share its bytes. Only the pages of one mount path are cached, because a client may
  // control the mount path and could otherwise fill the memory.
  let cachedBasePath: string | undefined;
  const cache = new Map<string, MountedPage>();
  return ({ basePath, path }) => {
    if (basePath !== cachedBasePath) cache.clear();
    cachedBasePath = basePath;
    const route = routeOf(path);
    const key = known.has(route) ? route : '';
    const page = cache.get(key) ?? makePage(template, { basePath, preloads: known.get(key), ...options });
    cache.set(key, page);
    return page;
  };
}

/** Returns the path of a page with every number replaced by `*`. */
function routeOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return `/${segments.map((segment) => (/^\d+$/.test(segment) ? '*' : segment)).join('/')}`;
}

interface PageContent extends DashboardOptions {
  readonly basePath: string;
  readonly preloads: PagePreloads | undefined;
}

function makePage(template: string, content: PageContent): MountedPage {
  const body = Buffer.from(fillIn(template, content));
  const hash = createHash('sha256').update(body).digest('base64url');
  return { body, etag: `"${hash.slice(0, TAG_LENGTH)}"` };
}

function fillIn(template: string, { basePath, apiPath, preloads }: PageContent): string {
  const parent = basePath.slice(0, Math.max(0, basePath.lastIndexOf('/')));
  // The replacement is a function, because `$` has a special meaning in a replacement text.
  return template
    .replace('</head>', (end) => linksTo(preloads) + end)
    .replace('<div id="app">', (start) => start + (preloads?.skeleton ?? ''))
    .replaceAll(BASE_PLACEHOLDER, () => escapeAttribute(basePath))
    .replaceAll(API_PLACEHOLDER, () => escapeAttribute(apiPath ?? parent));
}

/**
 * Returns links for the head of the page. Without them, the browser would discover the files and requests one
 * after another.
 */
function linksTo({ scripts, requests }: PagePreloads = { scripts: [], requests: [] }): string {
  const links = [
    ...scripts.map((path) => `rel="modulepreload" href="${BASE_PLACEHOLDER}/${escapeAttribute(path)}"`),
    ...requests.map((path) => `rel="preload" as="fetch" href="${API_PLACEHOLDER}${escapeAttribute(path)}"`),
  ];
  return links.map((attributes) => `<link crossorigin ${attributes}>`).join('');
}

function replyWithPage({ body, etag }: MountedPage, request: PageRequest): PageReply {
  const headers = { ...SECURITY_HEADERS, 'cache-control': 'no-cache', etag };
  if (matchesPageEtag(etag, request)) return { status: 304, headers, body: null };
  const type = { 'content-type': 'text/html; charset=utf-8', 'content-length': String(body.length) };
  return { status: 200, headers: { ...headers, ...type }, body };
}

function replyWithFile(file: DashboardFile, request: PageRequest): PageReply {
  const [encoding, body] = choose(file, request.header('accept-encoding'));
  // Each encoding needs its own ETag, because a strong ETag identifies the exact bytes.
  const etag = `"${file.hash.slice(0, TAG_LENGTH)}-${encoding ?? 'identity'}"`;
  const headers = { ...SECURITY_HEADERS, 'cache-control': IMMUTABLE, vary: 'accept-encoding', etag };
  if (matchesPageEtag(etag, request)) return { status: 304, headers, body: null };
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': file.type,
      'content-length': String(body.length),
      ...(encoding !== null && { 'content-encoding': encoding }),
    },
    body,
  };
}

/** Whether `If-None-Match` contains the ETag. A weak ETag matches too, because proxies may weaken an ETag. */
function matchesPageEtag(etag: string, { header }: PageRequest): boolean {
  const tags = header('if-none-match')?.split(',') ?? [];
  return tags.some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

function choose(file: DashboardFile, accepted = ''): readonly ['br' | 'gzip' | null, Uint8Array] {
  const names = accepted
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';', 1)[0]);
  if (names.includes('br')) return ['br', file.brotli];
  if (names.includes('gzip')) return ['gzip', file.gzip];
  return [null, file.bytes];
}

/**
 * Escapes a path for an HTML attribute. In an embedding app, a client may control the mount path through the
 * request target.
 */
function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
