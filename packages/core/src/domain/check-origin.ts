import { Rejection } from '../rejection.ts';

/** The origins from which a program accepts clicks, and leads without a tracking token. */
export interface OriginRules {
  readonly allowedOrigins: readonly string[];
  readonly requireOrigin: boolean;
}

/**
 * Checks the `Origin` header of a click, or of a lead without a token. Browsers send this header with every
 * POST. If the program does not require the header, requests without it are accepted. The check stops only
 * browsers, because other clients can send any `Origin`.
 *
 * @param ownHost the host at which browsers reach the server; pages on this host are always allowed
 */
export function checkOrigin(
  origin: string | undefined,
  { allowedOrigins, requireOrigin }: OriginRules,
  ownHost: string | undefined,
): Rejection | null {
  if (origin === undefined) return requireOrigin ? new Rejection('origin_required') : null;
  return isOriginAllowed(origin, allowedOrigins, ownHost) ? null : new Rejection('origin_not_allowed');
}

function isOriginAllowed(
  origin: string,
  allowedOrigins: readonly string[],
  ownHost: string | undefined,
): boolean {
  if (origin === 'null') return false;
  if (allowedOrigins.includes('*')) return true;
  if (allowedOrigins.includes(origin)) return true;
  return URL.canParse(origin) && ownHost !== undefined && isHostOf(new URL(origin), ownHost.toLowerCase());
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Whether the value of a `Host` header is the host of the URL. Some proxies add the default port to the header. */
function isHostOf({ protocol, host }: URL, header: string): boolean {
  return header === host || header === `${host}:${DEFAULT_PORTS[protocol]}`;
}

/** Whether `host`, with or without a port, is `domain` or one of its subdomains. */
export function isHostWithin(host: string, domain: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === domain || name.endsWith(`.${domain}`);
}
