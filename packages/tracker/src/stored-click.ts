import type { ClickTracked } from '@affkit/protocol';
import { cookieDomain } from './config.ts';
import { candidateDomains, readCookie, writeCookie } from './cookie.ts';
import { debugLog } from './page.ts';
import { readState, type StoredClick, writeState } from './store.ts';

const DAY_MS = 86_400_000;

/** The stored click, or only the `click_id` in the cookie (`''` without a cookie). */
export type CurrentClick = Partial<StoredClick>;

/**
 * Returns the current click. The cookie takes precedence, because another host of the site may have set it.
 */
export function currentClick(): CurrentClick {
  const click_id = readCookie();
  const { click } = readState();
  return click && (!click_id || click.click_id === click_id) ? click : { click_id };
}

/**
 * Stores a click as the current click, in place of `before`. If the server has already set the cookie to this click,
 * the cookie is not written again.
 */
export function storeClick(click: StoredClick, before: CurrentClick): void {
  const saved = readState();
  click.own = readCookie() !== click.click_id || before.own;
  click.host = before.host;
  click.stored = Date.now();
  renewCookie(click);
  saved.click = click;
  writeState(saved);
}

/**
 * Stores the response to a visit at the time `at`. A queued request may get its response late, so with `last_click`, the
 * response is ignored if the stored click belongs to a later visit. With `first_click`, it is ignored if the stored click
 * belongs to an earlier visit, but was stored only after `at`. The request of this visit could not contain that click's
 * id, so the server created a new customer. The response is also ignored if the cookie has a click that is not stored
 * here, because another host of the site has set it. If a visit through one partner's link is credited to another partner,
 * the visit does not extend the attribution window.
 */
export function storeAnswer(answer: ClickTracked, at: number): void {
  const before = currentClick();
  const isFirst = answer.attribution_model === 'first_click';
  if (
    (before.at as number) > at
      ? // A click in the future was stored while the clock was ahead.
        !isFirst && Date.now() > (before.at as number)
      : // Without `stored`, only the cookie contains the click.
        isFirst && before.click_id !== answer.click_id && before.click_id && (before.stored || at + 1) > at
  )
    return;
  storeClick(
    {
      ...answer,
      at,
      till:
        (before.click_id === answer.click_id &&
          answer.attributed_partner_code !== answer.partner_code &&
          before.till) ||
        at + answer.cookie_window_days * DAY_MS,
    },
    before,
  );
}

/** Writes the cookie again with its remaining lifetime, because some browsers shorten the lifetime of cookies. */
export function renewCookie(click: CurrentClick): void {
  // Skip a cookie that the server or another host has set.
  if (!click.own) return;
  const { click_id, till } = click as StoredClick;
  const known = cookieDomain || click.host;
  // Delete a host-only cookie, because it would hide a cookie with a wider domain.
  writeCookie('', 0, '');
  // Read the cookie back, because this shows whether the browser has accepted the domain. Each read is slow, because
  // it waits for the browser's cookie store. If a domain is known, do not try the other candidates.
  click.host = (known ? [known, ''] : candidateDomains()).find((domain) => {
    writeCookie(click_id, (till - Date.now()) / 1000, domain);
    return readCookie() === click_id;
  });
  debugLog('cookie', click.host || 'host');
}
