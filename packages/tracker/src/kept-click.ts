import type { ClickTracked } from '@affkit/protocol';
import { cookieDomain } from './config.ts';
import { cookieDomains, readCookie, widestDomain, writeCookie } from './cookie.ts';
import { flights, say } from './page.ts';
import { type KeptClick, read, save } from './store.ts';

const DAY_MS = 86_400_000;

/** The current click: empty without one, only an id when nothing but the cookie knows it. */
type CurrentClick = Partial<KeptClick>;

/** The cookie beats what is stored: a sibling host may have renewed it. */
export function current(): CurrentClick {
  const click_id = readCookie();
  const { click } = read();
  return click && (!click_id || click_id === click.click_id) ? click : { click_id };
}

/**
 * The click id to send along with a visit by `code`. On `last_click` another partner's visit starts a
 * customer of its own, so the id is left out; `first_click` keeps the customer.
 */
export function existingClickId(click: CurrentClick, code: string): string | undefined {
  return click.attribution_model === 'first_click' || click.attributed_partner_code === code
    ? click.click_id
    : undefined;
}

/**
 * What to keep of a click made at `at`; undefined when a later one stands already (the answer of an old
 * request that went through late). Another partner's visit does not prolong the credited one's window.
 */
export function keptClick(answer: ClickTracked, at: number, before: CurrentClick): KeptClick | undefined {
  if ((before.at || 0) > at && answer.attribution_model !== 'first_click') return undefined;
  const isOtherPartners =
    before.click_id === answer.click_id && answer.attributed_partner_code !== answer.partner_code;
  const till = (isOtherPartners && before.till) || at + answer.cookie_window_days * DAY_MS;
  return { ...answer, at, till };
}

/** Keeps a click as the current one. A cookie that the server has set to it is left alone. */
export function keep(click: KeptClick): void {
  const saved = read();
  click.own = readCookie() !== click.click_id || current().own;
  renew(click);
  saved.click = click;
  save(saved);
}

/** Writes the tracker's own cookie for the time that remains: some browsers shorten its life. */
export function renew(click: CurrentClick): void {
  // What another has written, and what the server has set, is left as it is.
  if (!click.own) return;
  const { click_id, till, host = cookieDomain || widestDomain() } = click as KeptClick;
  // A cookie of this host alone would hide a wider one.
  writeCookie('', 0, '');
  click.host = [host, ''].find((domain) => writeCookie(click_id, (till - Date.now()) / 1000, domain));
  say('cookie', click.host || 'no_domain');
}

/** Forgets everything; what is under way is not waited for. */
export function reset(): void {
  for (const key in flights) delete flights[key];
  for (const domain of [cookieDomain, ...cookieDomains()]) writeCookie('', 0, domain);
  save();
}
