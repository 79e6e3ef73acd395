import { cookieName } from './config.ts';
import { attempt } from './page.ts';

/** The first cookie of that name; empty when there is none, or cookies are blocked. */
export function readCookie(name = cookieName): string {
  const [, rest = ''] = `; ${attempt(() => document.cookie)}`.split(`; ${name}=`);
  return rest.replace(/;.*/, '');
}

/**
 * Writes the cookie, on this host alone where `domain` is empty, and reads it back. An age of 0 removes it.
 * @returns whether the browser took it
 */
export function writeCookie(
  value: string,
  maxAgeSeconds: number,
  domain: string,
  name = cookieName,
): boolean {
  attempt(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous, and https alone has it.
    document.cookie =
      `${name}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds | 0}` +
      (domain && `; Domain=${domain}`) +
      (location.protocol === 'https:' ? '; Secure' : '');
  });
  return readCookie(name) === value;
}

/**
 * The domains that the cookie may have here, the widest first and this host alone last. Which of them is a
 * public suffix the browser knows, and refuses it. An IP address and a name without a dot have none.
 */
export function cookieDomains(): string[] {
  const { hostname } = location;
  const labels = /\d$/.test(hostname) ? [] : hostname.split('.');
  const domains = labels.map((_label, index) => labels.slice(~index).join('.'));
  return domains.slice(1).concat('');
}

/**
 * The widest domain on which the browser takes a cookie of a name that nobody has, which is removed again: one
 * of the real name may be there already, and look as if it had been taken. Empty for this host alone.
 */
export function widestDomain(): string {
  const probe = `affkit${Math.random()}`;
  const isTaken = (domain: string) => writeCookie('1', 9, domain, probe) && writeCookie('', 0, domain, probe);
  return cookieDomains().find(isTaken) || '';
}
