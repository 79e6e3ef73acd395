import { isolate } from '../../format/isolate.ts';
import { formatCount } from '../../format/number.ts';
import * as common from './common.ts';
import { plural } from './plural.ts';

export const intro = 'Every click, sign-up, and sale of the program, newest first.';
export const search = 'Search events';
export const searchExample = 'Click, customer, transaction';
export const type = 'Type';
export const allTypes = 'All events';
export const noMatch = 'No events match these filters.';
export const none = 'No events yet. Add the tracker to your site, then open a partner’s link.';
export const clicksListedFrom = (date: string): string =>
  `Clicks before ${date} are no longer stored, so they are not listed. The totals still include them.`;
export const openSetup = 'Open the setup';
export const link = (id: string): string => `Link ${id}`;
export const subId = (id: string): string => `Sub-id ${isolate(id)}`;

export const live = 'Live';
export const paused = 'Paused';
export const notConnected = 'Not connected, trying again';
export const pause = 'Pause';
export const resume = 'Resume';
export const newEvents = (count: number): string => plural(count, 'new event', 'new events');
export const newEventsOrMore = (count: number): string => `${formatCount(count)} or more new events`;

export const event = 'Event';
export const details = 'Details';
export const renewal = 'Renewal';
export const from = (page: string): string => `from ${page}`;

/** The text for each event type in the API. */
export const types = {
  click: common.eventNames.click,
  lead: common.eventNames.lead,
  conversion: common.eventNames.sale,
} as const;

/** The text for each reason in the API. */
export const noCommission = {
  window_expired: 'No commission: the sale came too late after the click',
  recurring_ended: 'No commission: the time for renewals is over',
  below_min_sale: 'No commission: the sale is below the minimum',
  zero_amount: 'No commission: nothing was paid',
} as const;
