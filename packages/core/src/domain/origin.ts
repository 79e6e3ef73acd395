/**
 * Whether a page with this origin may call the tracking routes. Requests without an `Origin` header are
 * allowed, because browsers send the header with every cross-origin call.
 *
 * @param ownHost the `Host` of the request; pages on the server's own host are always allowed
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

/** Whether `host`, with or without a port, is `domain` or one of its subdomains. */
export function isHostWithin(host: string, domain: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === domain || name.endsWith(`.${domain}`);
}
