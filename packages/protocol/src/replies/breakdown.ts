import { z } from 'zod';
import { DIMENSIONS } from '../measures.ts';
import { amount, count, currency, time } from './envelope.ts';

/** The figures of one value of a dimension. */
export const breakdownRow = z.object({
  value: z
    .string()
    .nullable()
    .describe('The value, such as `DE`. Null when it is unknown, and in the row for all other values.'),
  is_other: z.boolean().describe('Whether this row sums up all values without a row of their own.'),
  clicks: count,
  leads: count,
  sales: count,
  revenue: z
    .array(z.object({ currency, amount_cents: amount }))
    .describe('Amounts of the sales, by currency.'),
});

/** Reply of `GET …/breakdown`. */
export const breakdownReply = z.object({
  success: z.literal(true),
  data: z.array(breakdownRow),
  meta: z.object({
    by: z.enum(DIMENSIONS),
    dateFrom: time,
    dateTo: time,
    as_of: time
      .nullable()
      .describe(
        'Every event that was stored before this time is counted. Null until all existing events have been counted once.',
      ),
  }),
});
