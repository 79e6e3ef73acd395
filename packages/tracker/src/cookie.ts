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
export function readCookie(name = cookieName): string {
  const [, ...values] = `; ${attempt(() => document.cookie)}`.split(`; ${name}=`);
  return values.map((rest) => rest.split(';')[0] as string).find(isClickId) || '';
}

/**
 * Writes the cookie and reads it back. A max age of 0 deletes it.
 * @param domain empty for a host-only cookie
 * @returns whether the browser accepted the cookie
 */
export function writeCookie(
  value: string,
  maxAgeSeconds: number,
  domain: string,
  name = cookieName,
): boolean {
  attempt(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous and requires https.
    document.cookie =
      `${name}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds | 0}` +
      (domain && `; Domain=${domain}`) +
      (location.protocol === 'https:' ? '; Secure' : '');
  });
  return readCookie(name) === value;
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

/**
 * Returns the widest domain on which the browser accepts a cookie, or `''` for host-only. It tries a probe
 * cookie with a random name and deletes it, because an existing cookie with the real name would look like a
 * success.
 */
export function widestDomain(): string {
  const probe = `affkit${Math.random()}`;
  const isTaken = (domain: string) => writeCookie('1', 9, domain, probe) && writeCookie('', 0, domain, probe);
  return candidateDomains().find(isTaken) || '';
}
