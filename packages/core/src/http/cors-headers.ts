import type { HttpRequest } from './message.ts';

const NOT_ECHOED: ReadonlySet<string> = new Set(['null', '*', '']);

const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/**
 * Returns headers that let a page read a tracking reply of any status. Without them, an error would look like
 * a network failure. The headers grant no rights, because the handler rejects origins that the program does
 * not allow. The origins `null` and `*` are not echoed. Many unrelated pages have the origin `null`. Browsers
 * never send `*`, and echoing it would allow every page.
 */
export function crossOriginHeaders(request: HttpRequest): Record<string, string> {
  const origin = request.header('origin');
  if (origin === undefined || NOT_ECHOED.has(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'Retry-After, X-Request-Id',
  };
}

/**
 * Whether the request comes from a page that is being prefetched or prerendered. The visitor might never see such
 * a page. Newer browsers send `Sec-Purpose`, which pages cannot set; older browsers send `Purpose`.
 */
export function isPreloaded(request: HttpRequest): boolean {
  const purpose = request.header('sec-purpose') ?? request.header('purpose') ?? '';
  return /^(prefetch|prerender)\b/i.test(purpose);
}

/** The additional headers of a reply to a preflight request. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': String(PREFLIGHT_MAX_AGE_SECONDS),
} as const;
