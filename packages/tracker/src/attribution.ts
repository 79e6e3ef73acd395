import type { ClickTracked } from '@affkit/protocol';

const DAY_MS = 86_400_000;
/** Browsers cap a cookie's life at 400 days (RFC 6265bis, 5.5). */
const MAX_DAYS = 400;
const DEFAULT_DAYS = 60;

/** The click that a later lead or sale would be credited to. Instants are epoch milliseconds. */
export interface KeptClick {
  id: string;
  /** Code of the partner who gets the credit; unknown when only the cookie is left. */
  code: string;
  model: ClickTracked['attribution_model'];
  /** When the visit was made. */
  at: number;
  expiresAt: number;
}

/** A click that only the cookie knows; without an id there is none. */
export type BareClick<T extends KeptClick> = {
  [K in keyof T]?: K extends 'id' ? string | undefined : undefined;
};

/** The cookie beats what is stored: a sibling host may have renewed it. */
export function currentClick<T extends KeptClick>(
  cookie: string | undefined,
  kept: T | undefined,
): T | BareClick<T> {
  if (kept && (!cookie || cookie === kept.id)) return kept;
  const bare: { id?: string | undefined } = { id: cookie };
  return bare as BareClick<T>;
}

/**
 * The click id to send along with a visit by `code`. On `last_click` another partner's visit starts a
 * customer of its own, so the id is left out; `first_click` keeps the customer.
 */
export function existingClickId(current: KeptClick | BareClick<KeptClick>, code: string): string | undefined {
  return current.model === 'first_click' || current.code === code ? current.id : undefined;
}

/**
 * What to keep of a click made at `at`; undefined when a later one stands already (the answer of an old
 * request that went through late). Another partner's visit does not prolong the credited one's window.
 */
export function keptClick(
  answer: ClickTracked,
  at: number,
  current: KeptClick | BareClick<KeptClick>,
): KeptClick | undefined {
  const { click_id: id, partner_code, attribution_model: model, cookie_window_days: days } = answer;
  if (current.at && current.at > at && model !== 'first_click') return undefined;
  const code = answer.attributed_partner_code || partner_code;
  const windowMs = Math.min(days || DEFAULT_DAYS, MAX_DAYS) * DAY_MS;
  const isOtherPartners = current.id === id && code !== partner_code;
  return { id, code, model, at, expiresAt: (isOtherPartners && current.expiresAt) || at + windowMs };
}
