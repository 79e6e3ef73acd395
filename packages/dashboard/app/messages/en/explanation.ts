import { plural } from './plural.ts';

/** Formats a number of days: 11.47 becomes `11 days`. */
export const wholeDays = (days: number): string =>
  days > 0 && days < 1 ? 'less than a day' : plural(Math.floor(days), 'day', 'days');

const SALE_IN_WINDOW = /\b(\d{1,5}(?:\.\d{1,4})?) days?( after the last click on (?:this|a) partner’s link)/;

export type ExplanationReader = 'advertiser' | 'partner';

/** Replaces the words that refer to the reader, such as "the partner", with "you" and "your". */
const addressTo: Readonly<Record<ExplanationReader, (why: string) => string>> = {
  advertiser: (why) =>
    why
      .replaceAll('The advertiser’s server', 'Your server')
      .replaceAll('the advertiser’s server', 'your server'),
  partner: (why) =>
    why
      .replaceAll(/this partner’s link|a link of the customer’s partner/g, 'your link')
      .replaceAll('the partner’s', 'your')
      .replaceAll('to the partner', 'to you'),
};

/** Replaces the technical terms in an explanation from the API with the terms of the dashboard. */
export const inPlainWords = (why: string, reader: ExplanationReader): string =>
  addressTo[reader](
    why.replace(SALE_IN_WINDOW, (_, days: string, after: string) => wholeDays(Number(days)) + after),
  )
    .replaceAll('customer_key', 'customer key')
    .replaceAll('click_id', 'click id');
