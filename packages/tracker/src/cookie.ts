/** The part of `window` that a cookie depends on. */
export interface CookieWindow {
  readonly document: { cookie: string };
  readonly location: Pick<Location, 'hostname' | 'protocol'>;
}

/** The first cookie of that name; undefined when there is none, it is empty, or cookies are blocked. */
export function readCookie({ document }: Pick<CookieWindow, 'document'>, name: string): string | undefined {
  try {
    const start = `${name}=`;
    const pair = document.cookie.split('; ').find((entry) => entry.startsWith(start));
    return pair && (pair.slice(start.length) || undefined);
  } catch {
    return undefined;
  }
}

/**
 * Writes a cookie, on this host alone without `domain`, and reads it back. An age of 0 removes it.
 * @returns whether the browser took it
 */
export function writeCookie(
  win: CookieWindow,
  name: string,
  value: string,
  maxAgeSeconds: number,
  domain?: string,
): boolean {
  try {
    win.document.cookie =
      `${name}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds}` +
      (domain ? `; Domain=${domain}` : '') +
      (win.location.protocol === 'https:' ? '; Secure' : '');
  } catch {}
  return readCookie(win, name) === value;
}

/**
 * The widest domain that the browser lets a cookie be set on, found by setting one: the browser knows the
 * public suffixes. Empty for an IP address and for a name without a dot.
 */
export function widestDomain(win: CookieWindow): string {
  const probe = `_affkit${Math.random()}`;
  const labels = win.location.hostname.split('.');
  for (let first = labels.length - 2; first >= 0; first--) {
    const domain = labels.slice(first).join('.');
    if (!/\.\d*$/.test(domain) && writeCookie(win, probe, '1', 9, domain)) {
      writeCookie(win, probe, '', 0, domain);
      return domain;
    }
  }
  return '';
}
