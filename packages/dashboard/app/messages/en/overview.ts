import { formatCount } from '../../format/number.ts';
import { plural } from './plural.ts';

export const periods = {
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '12m': '12 months',
  all: 'All',
} as const;
export const periodNames = {
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
  all: 'All time',
} as const;
export const period = 'Period';

export const measures = 'Measures';
export const trends = {
  up: (change: string): string => `Up ${change}`,
  down: (change: string): string => `Down ${change}`,
} as const;

export const inUtc = (dates: string): string => `${dates} (UTC)`;
export const amountsIn = 'Amounts in';
export const measureIn = (measure: string, currency: string): string => `${measure}, ${currency}`;

export const nothing = 'Nothing in this period.';
/** Shown when the API rejects the period. */
export const periodTooLong = 'This period is too long. Choose at most ten years.';
export const showYear = 'Show the last 12 months';
export const ranking = 'Rank';
export const top = 'Top partners and links';
export const topPartners = 'Top partners';
export const topLinks = 'Top links';
export const unknownPartner = 'Unknown partner';

export const breakdown = 'Where visitors come from';
export const breakDownBy = 'Break down by';
export const dimensions = {
  country: 'Countries',
  referrer_host: 'Referrers',
  device: 'Devices',
  page: 'Pages',
} as const;
export const unknown: Readonly<Record<string, string>> = {
  country: 'Unknown country',
  referrer_host: 'Direct or unknown',
  device: 'Unknown device',
  page: 'Unknown page',
};
/** The text for each kind of device in the API. */
export const devices: Readonly<Record<string, string>> = {
  console: 'Console',
  desktop: 'Desktop',
  embedded: 'Embedded',
  mobile: 'Mobile',
  smarttv: 'Smart TV',
  tablet: 'Tablet',
  wearable: 'Wearable',
};
export const allOthers = 'All others';
export const asOf = (time: string): string => `As of ${time}`;
export const counting = 'Older events are still being counted.';

export const tasks = 'To do';
export const toSetup = 'Continue';
/** The text for each setup step. Only the first missing step is shown. */
export const setupWaits = {
  click: 'Setup is not finished: no click has arrived yet',
  lead: 'Setup is not finished: no sign-up has arrived yet',
  sale: 'Setup is not finished: no sale has arrived yet',
  partner: 'Setup is not finished: no partner is approved yet',
} as const;
export const toConnection = 'Check the connection';
export const noWebhook = 'Stripe is connected, but no valid webhook has arrived yet';
export const webhookIgnored = (reason: string): string => `Stripe’s latest webhook was ignored: ${reason}`;
export const checkSetup = 'Check the setup';
export const noSales = (days: number): string => `No sale in ${formatCount(days)} days`;
export const review = 'Review';
export const partnersWait = (count: number): string =>
  plural(count, 'partner is waiting for approval', 'partners are waiting for approval');
export const commissionsWait = (count: number): string =>
  plural(count, 'commission needs approval', 'commissions need approval');
export const markAsPaid = 'Mark as paid';
export const payoutsWait = (count: number): string =>
  plural(count, 'payout is not marked as paid yet', 'payouts are not marked as paid yet');
export const payPartners = 'Pay partners';
export const payable = (count: number, amounts: string): string =>
  `${plural(count, 'payout', 'payouts')} can be paid: ${amounts}`;
