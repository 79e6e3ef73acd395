import { z } from 'zod';
import { isCurrency } from '../currency.ts';
import { MEASURES, RANKED_MEASURES } from '../measures.ts';
import { strictQuery } from '../strict-fields.ts';
import { boundsInOrder, idFilter, listOf, oneOf, parameter, rangeFields } from './query-fields.ts';

const MAX_TOP_ROWS = 50;
const HOURLY_MEASURES: readonly string[] = ['clicks', 'leads', 'sales'];

export const dayFields = {
  dateFrom: rangeFields.dateFrom.describe(
    'First day: the UTC day of this date or instant (ISO 8601). Defaults to 29 days before `dateTo`, or to `dateTo` for `unit=hour`.',
  ),
  dateTo: rangeFields.dateTo.describe(
    'Last day: the UTC day of this date or instant (ISO 8601). Defaults to today.',
  ),
};

/** Query of `GET …/series`. */
export const seriesQuery = strictQuery({
  measures: listOf('measures', MEASURES).describe(
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

const topLimitError = `limit must be an integer from 1 to ${MAX_TOP_ROWS}`;

/** Query of `GET …/top`. */
export const topQuery = strictQuery({
  by: parameter(oneOf('by', ['partner', 'link'])).describe('Whether partners or links are ranked.'),
  measure: parameter(oneOf('measure', RANKED_MEASURES).default('clicks')).describe(
    'The measure that decides the rank. Links are ranked only by clicks.',
  ),
  currency: parameter(
    z.string().refine(isCurrency, { error: 'currency must be an ISO 4217 code' }).optional(),
  ).describe("ISO 4217 code of the currency of revenue and commission. Defaults to the program's currency."),
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

export type SeriesQuery = z.output<typeof seriesQuery>;
export type TopQuery = z.output<typeof topQuery>;
