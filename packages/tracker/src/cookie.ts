import { cookieDomain, cookieName } from './config.ts';
import { attempt } from './page.ts';

/** The first cookie of that name; empty when there is none, or cookies are blocked. */
export function readCookie(): string {
  const [, rest = ''] = `; ${attempt(() => document.cookie)}`.split(`; ${cookieName}=`);
  return rest.replace(/;.*/, '');
}

/**
 * Writes the cookie, on this host alone where `domain` is empty, and reads it back. An age of 0 removes it.
 * @returns whether the browser took it
 */
export function writeCookie(value: string, maxAgeSeconds: number, domain: string): boolean {
  attempt(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous, and https alone has it.
    document.cookie =
      `${cookieName}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds}` +
      (domain && `; Domain=${domain}`) +
      (location.protocol === 'https:' ? '; Secure' : '');
  });
  return readCookie() === value;
}

/**
 * The domains that the cookie may have here, the widest first and this host alone last. Which of them is a
 * public suffix the browser knows, and refuses it. An IP address and a name without a dot have none.
 */
export function cookieDomains(): string[] {
  const { hostname } = location;
  const labels = /\d$/.test(hostname) ? [] : hostname.split('.');
  return cookieDomain
    ? [cookieDomain, '']
    : [...labels.map((_label, index) => labels.slice(~index).join('.')).slice(1), ''];
}
