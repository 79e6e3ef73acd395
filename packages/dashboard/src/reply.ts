import { createHash } from 'node:crypto';
import { type DashboardFile, type PagePreloads, readFiles } from './files.ts';

/** Options of every adapter. */
export interface DashboardOptions {
  /**
   * Path below which the Affkit API is mounted, without a slash at the end.
   * @default the parent of the dashboard's own path: `/affiliates` for a dashboard at `/affiliates/app`
   */
  readonly apiPath?: string;
  /**
   * The files to serve. A bundled server has no `node_modules` beside it, so it passes the files that
   * `readFiles` returns.
   * @default the files of this package
   */
  readonly files?: readonly DashboardFile[];
}

/** The parts of a request that choose the reply. */
export interface PageRequest {
  readonly method: string;
  /** Path of the mount point, without a slash at the end. */
  readonly basePath: string;
  /** Path below the mount point, with a slash at the start and without the query. */
  readonly path: string;
  /** Returns a request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

export interface PageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** The HTML of a page at a mount path. */
interface MountedPage {
  readonly body: Buffer;
  readonly etag: string;
}

/** Characters of a hash in an entity tag, which are 128 bits. */
const TAG_LENGTH = 22;
const INDEX = 'index.html';
const BASE_PLACEHOLDER = '__AFFKIT_BASE__';
const API_PLACEHOLDER = '__AFFKIT_API__';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Trusted Types: no code of the dashboard can turn a string into a script or into HTML. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
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

/** The files of the dashboard as replies. Every path that is not a file gets the page, which routes it. */
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
    // A file of another version. While servers are updated, the next request may find it.
    if (path.startsWith('assets/')) return { status: 404, headers: NOT_FOUND_HEADERS, body: null };
    return replyWithPage(pages(request), request);
  };
}

/** @throws RangeError if no request path could match */
export function checkBasePath(basePath: string): string {
  if (basePath !== '' && !/^(?:\/[^/?#]+)+$/.test(basePath)) {
    throw new RangeError(`basePath must be a path such as /affiliates/app, got "${basePath}"`);
  }
  return basePath;
}

/** Returns a function that makes the page of a request, or takes it from the cache. */
function createPageCache(
  { bytes, preloads = {} }: DashboardFile,
  options: DashboardOptions,
): (request: PageRequest) => MountedPage {
  const template = Buffer.from(bytes).toString();
  const known = new Map(Object.entries(preloads));
  // Replies share the bytes of a page. The mount path may come from the request, so only those of one are kept.
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

/** The path of a page, with `*` in the place of each number. */
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
  // A function, because a replacement text gives `$` a meaning.
  return template
    .replace('</head>', (end) => linksTo(preloads) + end)
    .replace('<div id="app">', (start) => start + (preloads?.skeleton ?? ''))
    .replaceAll(BASE_PLACEHOLDER, () => escapeAttribute(basePath))
    .replaceAll(API_PLACEHOLDER, () => escapeAttribute(apiPath ?? parent));
}

/** Without the links, the browser would find the files and requests one after the other. */
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
  // A strong tag identifies the bytes, so each encoding has its own.
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

/** Whether `If-None-Match` lists the tag. It compares weakly, because proxies may weaken a tag. */
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

/** The mount path can come from the request target of an embedding app, so it is escaped. */
function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
