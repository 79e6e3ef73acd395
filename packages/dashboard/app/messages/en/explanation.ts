import { plural } from './plural.ts';

/** Formats a number of days: 11.47 becomes `11 days`. */
export const wholeDays = (days: number): string =>
  days > 0 && days < 1 ? 'less than a day' : plural(Math.floor(days), 'day', 'days');

const SALE_IN_WINDOW = /\b(\d{1,5}(?:\.\d{1,4})?) days?( after the last click on (?:this|a) partner’s link)/;

/** Replaces the technical terms in an explanation from the API by the terms of the dashboard. */
export const inPlainWords = (why: string): string =>
  why
    .replace(SALE_IN_WINDOW, (_, days: string, after: string) => wholeDays(Number(days)) + after)
    .replaceAll('The advertiser’s server', 'Your server')
    .replaceAll('the advertiser’s server', 'your server')
    .replaceAll('customer_key', 'customer key')
    .replaceAll('click_id', 'click id');
