import { z } from 'zod';
import { isCurrency } from '../currency.ts';
import { boundsInOrder, idFilter, oneOf, parameter, rangeFields } from '../query-fields.ts';
import { strictQuery } from '../strict-fields.ts';
import { count, currency, rowId, time } from './envelope.ts';

const MAX_TOP_ROWS = 50;

const MEASURES = ['clicks', 'leads', 'conversions', 'sales', 'partners', 'revenue', 'commission'] as const;
const HOURLY_MEASURES: readonly string[] = ['clicks', 'leads', 'sales'];
const RANKED_MEASURES = ['clicks', 'leads', 'sales', 'revenue', 'commission'] as const;

const dayFields = {
  dateFrom: rangeFields.dateFrom.describe(
    'First day: the UTC day of this date or instant (ISO 8601). Defaults to 29 days before `dateTo`, or to `dateTo` for `unit=hour`.',
  ),
  dateTo: rangeFields.dateTo.describe(
    'Last day: the UTC day of this date or instant (ISO 8601). Defaults to today.',
  ),
};

type Measure = (typeof MEASURES)[number];

const isMeasure = (name: string): name is Measure => (MEASURES as readonly string[]).includes(name);

const measureList = parameter(
  z
    .string()
    .meta({ examples: ['clicks,revenue'] })
    .transform((text, context) => {
      const names = [...new Set(text.split(','))];
      const known = names.filter(isMeasure);
      if (known.length === names.length) return known;
      context.addIssue(`each of measures must be one of ${MEASURES.join(', ')}`);
      return z.NEVER;
    })
    .optional(),
);

/** Query of `GET …/series`. */
export const seriesQuery = strictQuery({
  measures: measureList.describe(
    `Measures, separated by commas: ${MEASURES.join(', ')}. Defaults to all measures of the unit.`,
  ),
  partner_id: idFilter('partner_id').describe('Id of a partner. Defaults to the whole program.'),
  ...dayFields,
  unit: parameter(oneOf('unit', ['day', 'hour']).default('day')).describe(
    'Length of an interval. `hour` has only clicks, leads and sales of the whole program.',
  ),
})
  .check(boundsInOrder)
  .refine(({ unit, partner_id }) => unit === 'day' || partner_id === undefined, {
    error: 'partner_id cannot be combined with unit=hour',
  })
  .refine(
    ({ unit, measures }) => unit === 'day' || (measures ?? []).every((one) => HOURLY_MEASURES.includes(one)),
    {
      error: 'unit=hour has only the measures clicks, leads, sales',
    },
  );

const seriesBounds = {
  date_from: time.describe('First instant of the range.'),
  date_to: time.describe('Last instant of the range.'),
};

/** The values of one measure. */
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
    series: z.array(seriesOf).describe('A series for each measure, and for each currency of an amount.'),
  }),
  meta: z.object({
    ...seriesBounds,
    previous: z.object(seriesBounds).describe('The preceding range of equal length.'),
  }),
});

const topLimitError = `limit must be an integer from 1 to ${MAX_TOP_ROWS}`;

/** Query of `GET …/top`. */
export const topQuery = strictQuery({
  by: parameter(oneOf('by', ['partner', 'link'])).describe('What is ranked.'),
  measure: parameter(oneOf('measure', RANKED_MEASURES).default('clicks')).describe(
    'The measure that decides the rank. Links are ranked only by clicks.',
  ),
  currency: parameter(
    z.string().refine(isCurrency, { error: 'currency must be an ISO 4217 code' }).optional(),
  ).describe("ISO 4217 code of revenue and commission. Defaults to the program's."),
  ...dayFields,
  limit: parameter(
    z
      .int({ error: topLimitError })
      .min(1, { error: topLimitError })
      .max(MAX_TOP_ROWS, { error: topLimitError })
      .default(10),
    (text) => (/^\d{1,4}$/.test(text) ? Number(text) : text),
  ).describe(`Number of rows, at most ${MAX_TOP_ROWS}.`),
})
  .check(boundsInOrder)
  .refine(({ by, measure }) => by === 'partner' || measure === 'clicks', {
    error: 'links are ranked only by clicks',
  });

/** A partner or link and its value, highest first. */
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

export type SeriesQuery = z.output<typeof seriesQuery>;
export type TopQuery = z.output<typeof topQuery>;
