import type { ComponentChildren, JSX } from 'preact';
import { isolate } from '../../format/isolate.ts';
import { formatList } from '../../format/list.ts';

export const settingsOf = (program: string): string => `Settings of ${isolate(program)}`;
export const saved = (labels: readonly string[]): string => `Saved: ${formatList(labels)}.`;
export const unsaved = 'Unsaved changes';
export const unsavedCount = (count: number): string =>
  count === 1 ? '1 unsaved change' : `${count} unsaved changes`;
export const unsavedLabels = formatList;
export const discard = 'Discard';
export const notSaved = (labels: readonly string[]): string => `Not saved. Check: ${formatList(labels)}.`;

/** The text for each setting in the API. */
export const labels = {
  name: 'Name',
  slug: 'Short name in URLs',
  site_url: 'Site',
  currency: 'Currency',
  attribution_model: 'Which click earns',
  cookie_window_days: 'Attribution window in days',
  hold_days: 'Hold in days',
  commission_base: 'Percentages are computed from',
  min_sale_cents: 'Minimum sale',
  claimed_keys: 'Sales known only from the browser',
  browser_leads: 'Sign-ups from browsers',
  require_origin: 'Clicks without a website address',
  allowed_origins: 'Allowed websites',
  cookie_domain: 'Cookie domain',
} as const;

/** The text for each setting and value in the API. */
export const choices = {
  attribution_model: { last_click: 'The last click', first_click: 'The first click' },
  commission_base: { total: 'The whole sale', net: 'The sale without tax and shipping' },
  claimed_keys: { review: 'Wait for your approval', pay: 'Are paid like other sales' },
  browser_leads: {
    all: 'Are recorded',
    without_key: 'Are recorded without a customer key',
    off: 'Are rejected',
  },
  require_origin: { false: 'Are recorded', true: 'Are rejected' },
} as const;

export const notSet = 'None';
export const days = (count: string): string => `${count} ${count === '1' ? 'day' : 'days'}`;
export const origins = (origins: readonly string[]): string => origins.join(', ');

export const siteMissing = 'Enter the address of the site, such as https://shop.example.';
export const windowInvalid = 'Enter a whole number of days from 1 to 365.';
export const holdInvalid = 'Enter a whole number of days from 0 to 365.';
export const minSaleInvalid = (currency: string, example: string): string =>
  `Enter an amount in ${currency} without thousands separators, such as ${example}, or 0.`;
export const originInvalid = (origin: string): string =>
  `"${origin}" is not a valid website. Enter an address without a path, such as https://shop.example.`;

export const programAbout = 'Partners see the name, and their links open the site.';
export const siteHint = 'Partner links open this address.';
export const siteNotAllowed = (origin: string): string =>
  `${origin} is not an allowed website, so its clicks and sign-ups are rejected.`;
export const siteAllowed = (origin: string): string =>
  `When you save, clicks and sign-ups from ${origin} are accepted.`;
export const alsoAllow = (origin: string): string => `Also allow ${origin}`;
export const slugHint = 'Part of the program’s public URLs. If you change it, the old URLs stop working.';
export const currencyHint =
  'Flat commissions and totals use this currency. Sales in other currencies are not converted. You cannot change it after the first sale.';
export const currencyFixed =
  'Flat commissions and totals use this currency. You cannot change it, because the program has sales.';

export const attribution = 'Attribution';
export const attributionAbout = 'Which partner gets the commission for a sale.';
export const modelHint = 'Matters if several partners sent the same customer.';
export const windowHint = 'Sales up to this many days after a click earn a commission. 1 to 365 days.';

export const commissionsAbout = 'How commissions are computed, and when they can be paid.';
export const baseHint = 'To leave out tax and shipping, your server must report both with each sale.';
export const minSaleHint = (currency: string): string =>
  `Smaller sales earn no commission. 0 means no minimum. The amount is in ${currency}. Other currencies use the same number of their smallest unit: with 5.00 USD, the minimum in yen is 500 JPY.`;
export const holdHint =
  'Commissions become payable after this many days, which leaves time for refunds. 0 to 365 days. Changes apply to new commissions.';

export const protection = 'Protection';
export const protectionAbout = 'Anyone can send false data from a browser. Choose what you accept.';
export const claimedKeysHint = 'Applies to sales to customers whom only a browser reported.';
export const browserLeadsHint = 'If your server reports every sign-up, reject those from browsers.';
export const requireOriginHint =
  'Browsers send the address of your site with each click. Bots often do not, but they can also send a false address.';

export const site = 'Your site';
export const siteAbout = 'The websites that may report clicks and sign-ups.';
export const originsHint =
  'The addresses of your site, such as https://shop.example. Calls from other websites are rejected. To allow every website, enter *.';
export const origin = (position: number): string => `Website ${position}`;
export const originExample = 'https://shop.example';
export const removeOrigin = (position: number): string => `Remove website ${position}`;
export const addOrigin = 'Add a website';
export const cookieDomainExample = 'shop.example';
export const cookieDomainHint =
  'Fill this in only if Affkit runs on a subdomain of your site, such as track.shop.example. In Safari, the cookie then lasts longer.';

export const goLive = 'Go live';
export const goLiveAbout = 'Tracking and commissions also work while the program is a draft.';
export const goLiveText = 'A live program is listed on the marketplace, where partners can find it.';
export const goLiveTitle = (name: string): string => `Go live with ${isolate(name)}?`;
export const goLiveWarning =
  'The marketplace will list the program with its name, site, and default commission. You cannot turn it into a draft again.';
export const isLive = (name: string): string => `${isolate(name)} is live.`;

export const tokenAbout = 'Your server needs this token to report sign-ups, sales, and refunds.';

export const deleteProgram = 'Delete the program';
export const deleteAbout = 'This cannot be undone.';
export const deleteText =
  'You can delete it when no partner is owed money, no payout is pending, and no refund or dispute is waiting for its sale.';
export const deleteTitle = (name: string): string => `Delete ${isolate(name)}?`;
export const deleteWarning =
  'Partners’ links stop working, and new clicks, sign-ups, and sales are rejected. Partners can still see their earnings and payouts.';
export const programName = 'Name of the program';
export const typeName = (name: ComponentChildren): JSX.Element => <>Type {name}</>;
export const nameDiffers = 'This is not the name of the program.';
export const isDeleted = (name: string): string => `${isolate(name)} is deleted.`;
