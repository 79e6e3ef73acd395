import { z } from 'zod';
import { MEASURES, RANKED_MEASURES } from '../measures.ts';
import { count, currency, rowId, time } from './envelope.ts';

const seriesBounds = {
  date_from: time.describe('First instant of the range.'),
  date_to: time.describe('Last instant of the range.'),
};

const seriesOf = z.object({
  measure: z.enum(MEASURES),
  currency: currency.nullable().describe('ISO 4217 code of an amount; null for a count.'),
  values: z
    .array(z.int())
    .describe('A value for each of `times`. Amounts are in the smallest unit of the currency.'),
  total: z.int(),
  previous_values: z.array(z.int()).describe('The values of the previous range, in the same order.'),
  previous_total: z.int(),
});

/** Reply of `GET …/series`. */
export const seriesReply = z.object({
  success: z.literal(true),
  data: z.object({
    unit: z.enum(['day', 'hour']),
    times: z.array(time).describe('Start of each interval.'),
    series: z
      .array(seriesOf)
      .describe(
        'One series for each measure that is a count. A measure that is an amount has one series for each currency.',
      ),
  }),
  meta: z.object({
    ...seriesBounds,
    previous: z.object(seriesBounds).describe('The preceding range of equal length.'),
  }),
});

/** A partner or link, and its value. Rows are sorted by value, highest first. */
export const topRow = z.object({
  partner_id: rowId.nullable().describe('Id of the partner.'),
  partner_name: z.string().nullable().describe('Display name of the partner.'),
  link_id: rowId.optional().describe('Id of the link, if links are ranked.'),
  short_link: z.string().optional().describe('Code of the link, if links are ranked.'),
  value: count.describe('The count, or the amount in the smallest unit of the currency.'),
});

/** Reply of `GET …/top`. */
export const topReply = z.object({
  success: z.literal(true),
  data: z.array(topRow),
  meta: z.object({
    ...seriesBounds,
    measure: z.enum(RANKED_MEASURES),
    currency: currency.nullable().describe('ISO 4217 code of an amount; null for a count.'),
  }),
});
