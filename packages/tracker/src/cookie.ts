import { cookieName } from './config.ts';
import { attempt } from './page.ts';

/** Whether a value from a cookie, storage or a URL has the form of a click id. Another host may have written it. */
export function isClickId(value: string): boolean {
  return /^[\w-]+$/.test(value);
}

/**
 * Returns the first cookie with that name whose value has the form of a click id, or `''` if there is none or
 * cookies are blocked.
 */
export function readCookie(): string {
  const [, ...values] = `; ${attempt(() => document.cookie)}`.split(`; ${cookieName}=`);
  return values.map((rest) => rest.split(';')[0] as string).find(isClickId) || '';
}

/**
 * Writes the cookie. A max age of 0 deletes it.
 * @param domain empty for a host-only cookie
 */
export function writeCookie(value: string, maxAgeSeconds: number, domain: string): void {
  attempt(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous and requires https.
    document.cookie =
      `${cookieName}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds | 0}` +
      (domain && `; Domain=${domain}`) +
      (location.protocol === 'https:' ? '; Secure' : '');
  });
}

/**
 * Returns the domains to try for the cookie, from the widest to the host-only `''`. The browser rejects
 * public suffixes. An IP address and a host name without a dot have only `''`.
 */
export function candidateDomains(): string[] {
  const { hostname } = location;
  const labels = /\d$/.test(hostname) ? [] : hostname.split('.');
  const domains = labels.map((_label, index) => labels.slice(~index).join('.'));
  return domains.slice(1).concat('');
}
