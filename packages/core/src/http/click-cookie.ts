import { CLICK_COOKIE } from '@affkit/protocol';
import { isHostWithin } from '../domain/check-origin.ts';
import type { HttpRequest } from './message.ts';

const DAY_SECONDS = 86_400;

/**
 * The `Set-Cookie` header of a click, or null. The cookie is set only if the program's cookie domain includes
 * this server's host, and the request comes from the same site (`Sec-Fetch-Site`). The cookie is not HttpOnly,
 * because the tracker script reads it.
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
