import { z } from 'zod';
import { DIMENSIONS } from '../measures.ts';
import { strictQuery } from '../strict-fields.ts';
import { boundsInOrder, choiceFilter, oneOf, parameter, rangeFields } from './query-fields.ts';

const MAX_BREAKDOWN_ROWS = 100;
const limitError = 'limit must be an integer of at least 1';

/** Query of `GET …/breakdown`. */
export const breakdownQuery = strictQuery({
  by: parameter(oneOf('by', DIMENSIONS).default('country')).describe('The dimension of the rows.'),
  measure: choiceFilter('measure', ['clicks', 'leads', 'sales']).describe(
    'Sorts the values by this measure, highest first. Defaults to clicks.',
  ),
  limit: parameter(z.int({ error: limitError }).min(1, { error: limitError }).default(20), (text) =>
    /^\d+$/.test(text) ? Math.min(Number(text), MAX_BREAKDOWN_ROWS) : text,
  ).describe(
    'Number of values that get a row of their own. All other values share one row. A number above 100 is lowered to 100.',
  ),
  dateFrom: rangeFields.dateFrom.describe(
    'The first day of the range, as a date or instant (ISO 8601). The whole UTC day is included. Defaults to 29 days before the last day. The range may span at most 3,660 days.',
  ),
  dateTo: rangeFields.dateTo.describe(
    'The last day of the range, as a date or instant (ISO 8601). The whole UTC day is included. Defaults to today.',
  ),
}).check(boundsInOrder);
