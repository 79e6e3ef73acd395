import type { HttpRequest } from './message.ts';

const NOT_ECHOED: ReadonlySet<string> = new Set(['null', '*', '']);

const PREFLIGHT_MAX_AGE_SECONDS = 7200;

/**
 * Headers that let a page read a tracking reply, of any status: a refusal must not look like a network error.
 * The guard is the 403 of the handler. An opaque origin (`null`) is never echoed, nor
 * what no browser sends: `*` would let every page in.
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
 * Is it from a page that the browser loads ahead, and that nobody may ever see? Newer browsers say so in
 * `Sec-Purpose`, older ones in `Purpose`; a page can't set the former.
 */
export function isPreloaded(request: HttpRequest): boolean {
  const purpose = request.header('sec-purpose') ?? request.header('purpose') ?? '';
  return /^(prefetch|prerender)\b/i.test(purpose);
}

/** What a preflight adds to them. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': String(PREFLIGHT_MAX_AGE_SECONDS),
} as const;
