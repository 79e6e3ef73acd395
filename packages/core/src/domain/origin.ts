/**
 * May a page of that origin call the tracking routes? No `Origin` header at all is no browser's cross-origin call.
 * @param ownHost the request's own Host: the server's pages may always call it
 */
export function isOriginAllowed(
  origin: string | undefined,
  allowedOrigins: readonly string[],
  ownHost: string | undefined,
): boolean {
  if (origin === undefined) return true;
  if (origin === 'null') return false;
  if (allowedOrigins.includes('*')) return true;
  if (allowedOrigins.includes(origin)) return true;
  return URL.canParse(origin) && ownHost !== undefined && new URL(origin).host === ownHost;
}

/** Does `host` (with or without a port) lie within `domain`? */
export function isHostWithin(host: string, domain: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === domain || name.endsWith(`.${domain}`);
}
