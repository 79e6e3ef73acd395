import type { HttpRequest } from './message.ts';

const NOT_ECHOED: ReadonlySet<string> = new Set(['null', '*', '']);

const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/**
 * Headers that let a page read a tracking reply of any status, so that an error does not look like a network
 * failure. They grant nothing: the handler rejects origins that the program does not allow. An opaque origin
 * (`null`) is never echoed. `*` is not echoed either, because it would allow every page; browsers never send
 * it.
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
 * Whether the request comes from a page that the browser prefetches or prerenders, and that may never be
 * shown. Newer browsers send `Sec-Purpose`, which pages cannot set; older browsers send `Purpose`.
 */
export function isPreloaded(request: HttpRequest): boolean {
  const purpose = request.header('sec-purpose') ?? request.header('purpose') ?? '';
  return /^(prefetch|prerender)\b/i.test(purpose);
}

/** Additional headers of a preflight reply. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': String(PREFLIGHT_MAX_AGE_SECONDS),
} as const;
