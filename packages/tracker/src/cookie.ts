import { cookieName } from './config.ts';
import { attempt } from './page.ts';

/**
 * Whether a value has the form of a click id. The check is needed because other code may have written the
 * value into the cookie, the storage or the URL.
 */
export function isClickId(value: string): boolean {
  return /^[\w-]+$/.test(value);
}

/**
 * Returns the first cookie with the configured name whose value has the form of a click id. Returns `''` if
 * there is none or cookies are blocked. The part before the first such cookie is empty or starts with `;`, so it
 * is never a click id.
 */
export function readCookie(): string {
  return (
    `; ${attempt(() => document.cookie)}`
      .split(`; ${cookieName}=`)
      .map((rest) => rest.split(';')[0] as string)
      .find(isClickId) || ''
  );
}

/**
 * Writes the cookie. A max age of 0 deletes it.
 * @param domain empty or undefined for a host-only cookie
 */
export function writeCookie(value: string, maxAgeSeconds: number, domain?: string): void {
  attempt(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous and requires https.
    document.cookie =
      `${cookieName}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds | 0}` +
      (domain ? `; Domain=${domain}` : '') +
      (/^https/.test(location.href) ? '; Secure' : '');
  });
}

/**
 * Returns the domains to try for the cookie, from the widest domain to `''`, which means host-only. The
 * browser rejects public suffixes. For an IP address or a host name without a dot, there is only `''`.
 */
export function candidateDomains(): string[] {
  return location.hostname
    .replace(/^.*\d$/, '')
    .split('.')
    .map((_label, index, labels) => labels.slice(~index).join('.'))
    .slice(1)
    .concat('');
}
