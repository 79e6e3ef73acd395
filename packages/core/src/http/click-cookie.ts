import { CLICK_COOKIE } from '@affkit/protocol';
import { isHostWithin } from '../domain/origin.ts';
import type { HttpRequest } from './message.ts';

const DAY_SECONDS = 86_400;

/**
 * The `Set-Cookie` of a click, or null. Only a request of the advertiser's own site may have it (`Sec-Fetch-Site`),
 * for a program that names its domain, when this server answers within that domain. A script reads it, hence no
 * HttpOnly.
 */
export function clickCookie(
  request: HttpRequest,
  cookieDomain: string | null,
  clickId: string,
  windowDays: number,
): string | null {
  const site = request.header('sec-fetch-site');
  const host = request.header('host');
  if (cookieDomain === null || host === undefined || !isHostWithin(host, cookieDomain)) return null;
  if (site !== 'same-origin' && site !== 'same-site') return null;
  const secure = request.secure ? '; Secure' : '';
  return `${CLICK_COOKIE}=${clickId}; Domain=${cookieDomain}; Path=/; Max-Age=${windowDays * DAY_SECONDS}; SameSite=Lax${secure}`;
}
