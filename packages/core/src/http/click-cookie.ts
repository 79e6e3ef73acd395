import { CLICK_COOKIE } from '@affkit/protocol';
import type { AttributionModel } from '../domain/attribution.ts';
import { isHostWithin } from '../domain/check-origin.ts';
import { programOfClickId } from '../domain/click-id.ts';
import type { HttpRequest } from './message.ts';
import { readCookie } from './session-cookie.ts';

const DAY_SECONDS = 86_400;

interface CookieClick {
  readonly clickId: string;
  readonly cookieWindowDays: number;
  readonly attributionModel: AttributionModel;
}

/**
 * The `Set-Cookie` header of a click, or null. The cookie is set only if the program's cookie domain includes
 * this server's host, and the request comes from the same site (`Sec-Fetch-Site`). The cookie is not HttpOnly,
 * because the tracker script reads it.
 */
export function clickCookie(
  request: HttpRequest,
  cookieDomain: string | null,
  click: CookieClick,
): string | null {
  const site = request.header('sec-fetch-site');
  const host = request.header('host');
  if (cookieDomain === null || host === undefined || !isHostWithin(host, cookieDomain)) return null;
  if (site !== 'same-origin' && site !== 'same-site') return null;
  if (click.attributionModel === 'first_click' && hasEarlierClick(request, click.clickId)) return null;
  const secure = request.secure ? '; Secure' : '';
  return `${CLICK_COOKIE}=${click.clickId}; Domain=${cookieDomain}; Path=/; Max-Age=${click.cookieWindowDays * DAY_SECONDS}; SameSite=Lax${secure}`;
}

/**
 * Whether the visitor's cookie has another click of the same program. The request does not name this click if the
 * browser has kept only the cookie. This is so on another subdomain, and after Safari has deleted localStorage.
 */
function hasEarlierClick(request: HttpRequest, clickId: string): boolean {
  const earlier = readCookie(request, CLICK_COOKIE);
  return (
    earlier !== undefined && earlier !== clickId && programOfClickId(earlier) === programOfClickId(clickId)
  );
}
