import type { ClickTracked } from '@affkit/protocol';
import { cookieDomain } from './config.ts';
import { candidateDomains, readCookie, writeCookie } from './cookie.ts';
import { debugLog } from './page.ts';
import { readState, type StoredClick, writeState } from './store.ts';

const DAY_MS = 86_400_000;

/** The stored click, or only the `click_id` of the cookie (`''` without a cookie). */
export type CurrentClick = Partial<StoredClick>;

/** Returns the current click. The cookie wins, because another host of the site may have set it. */
export function currentClick(): CurrentClick {
  const click_id = readCookie();
  const { click } = readState();
  return click && (!click_id || click_id === click.click_id) ? click : { click_id };
}

/**
 * Returns the `existing_click_id` for a visit with `code`. It is undefined when another partner's visit must
 * create a new customer, which is the rule of `last_click`. `first_click` keeps the customer.
 */
export function existingClickId(click: CurrentClick, code: string): string | undefined {
  return click.attribution_model === 'first_click' || click.attributed_partner_code === code
    ? click.click_id
    : undefined;
}

/**
 * Converts the response to a click made at `at`. Returns undefined if a later click is already stored,
 * because a queued request may be answered late. Another partner's visit does not extend the window of the
 * credited partner.
 */
export function toStoredClick(
  answer: ClickTracked,
  at: number,
  before: CurrentClick,
): StoredClick | undefined {
  // A click from the future is from a clock that was ahead.
  return (before.at as number) > at &&
    Date.now() > (before.at as number) &&
    answer.attribution_model !== 'first_click'
    ? undefined
    : {
        ...answer,
        at,
        till:
          (before.click_id === answer.click_id &&
            answer.attributed_partner_code !== answer.partner_code &&
            before.till) ||
          at + answer.cookie_window_days * DAY_MS,
      };
}

/** Stores a click as the current click. A cookie that the server has set to this click is not rewritten. */
export function storeClick(click: StoredClick): void {
  const saved = readState();
  const before = currentClick();
  click.own = readCookie() !== click.click_id || before.own;
  click.host = before.host;
  renewCookie(click);
  saved.click = click;
  writeState(saved);
}

/** Rewrites the cookie with its remaining lifetime, because some browsers shorten it. */
export function renewCookie(click: CurrentClick): void {
  // Skips cookies that the server or another host has set.
  if (!click.own) return;
  const { click_id, till, host } = click as StoredClick;
  // A host-only cookie would hide a cookie with a wider domain.
  writeCookie('', 0, '');
  // Only a cookie that is read back was accepted. Each reading waits for the browser's cookie store.
  click.host = (cookieDomain || host ? [(cookieDomain || host) as string, ''] : candidateDomains()).find(
    (domain) => {
      writeCookie(click_id, (till - Date.now()) / 1000, domain);
      return readCookie() === click_id;
    },
  );
  debugLog('cookie', click.host || 'no_domain');
}
