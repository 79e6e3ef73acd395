import { z } from 'zod';
import { strictQuery, unknownNames } from '../strict-fields.ts';
import {
  afterField,
  boundsInOrder,
  choiceFilter,
  DAY_MS,
  firstParameterValue,
  idFilter,
  oneOf,
  pageFields,
  parameter,
  rangeFields,
  searchFilter,
  textFilter,
  tracePageFields,
  workspaceFields,
} from './query-fields.ts';

/**
 * Query of `GET /api/tracking/events/:programId`. Unlike the CSV export, this list ignores unknown parameters,
 * because older clients use the routes below `/api/tracking` and may send other parameters.
 */
export const eventsQuery = z
  .object({
    ...pageFields,
    eventType: choiceFilter('eventType', ['click', 'lead', 'conversion']).describe(
      'Type of the events. Defaults to all.',
    ),
    ...rangeFields,
    after: afterField,
    sub_id: textFilter('sub_id').describe('Lists only clicks with this `sub_id`.'),
    partner_id: idFilter('partner_id').describe('Lists only events of this partner.'),
    link_id: idFilter('link_id').describe('Lists only clicks on this link.'),
    q: searchFilter().describe(
      'Searches for customers, and lists only their events. Finds a whole click id, or the start of a `customer_key` or transaction id, ignoring the case of the letters a to z. The search covers at most 100 customers and 1,000 events.',
    ),
  })
  .check(boundsInOrder);

/** Limits the size of the reply, which has one row per day. */
const MAX_PERFORMANCE_DAYS = 36_525;

/**
 * Query of `GET /api/tracking/performance/:programId`. If both dates are given, they replace `period`;
 * otherwise, the dates are ignored. Ignored parameters are not validated.
 */
export const performanceQuery = z.preprocess(
  ({ period, dateFrom, dateTo }: Readonly<Record<string, unknown>>) =>
    firstParameterValue(dateFrom) && firstParameterValue(dateTo) ? { dateFrom, dateTo } : { period },
  z
    .object({
      period: parameter(oneOf('period', ['7d', '30d', '90d', 'all']).default('7d')).describe(
        'Length of the report, which ends with the current UTC day. `all` starts on the first day with data.',
      ),
      dateFrom: rangeFields.dateFrom.describe(
        'Together with `dateTo`, replaces `period`. A date or an instant (ISO 8601). The report starts with the whole UTC day of this time; `meta` shows the bounds.',
      ),
      dateTo: rangeFields.dateTo.describe(
        'Together with `dateFrom`, replaces `period`. The report ends with the whole UTC day of this time.',
      ),
    })
    .check(boundsInOrder)
    .refine(({ dateFrom = 0, dateTo = 0 }) => utcDay(dateTo) - utcDay(dateFrom) < MAX_PERFORMANCE_DAYS, {
      error: `dateFrom and dateTo may span at most ${MAX_PERFORMANCE_DAYS} days`,
    }),
);

export type PerformanceQuery = z.output<typeof performanceQuery>;

function utcDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

const TRACED_BY = ['transaction_id', 'click_id', 'customer_key', 'commission_id'] as const;
const TRACE_PARAMETERS = [...TRACED_BY, ...Object.keys(tracePageFields)];

/**
 * Query of `GET …/trace`: the pagination parameters, and exactly one of the parameters that identify a
 * customer.
 */
export const traceQuery = z.preprocess(
  (query: Readonly<Record<string, unknown>>, context) => {
    const unknown = Object.keys(query).filter((name) => !TRACE_PARAMETERS.includes(name));
    if (unknown.length > 0) {
      context.addIssue(unknownNames('query parameter', unknown, TRACE_PARAMETERS));
      return z.NEVER;
    }
    const given = TRACED_BY.flatMap((name) =>
      [query[name]]
        .flat()
        .filter((value) => value !== undefined && value !== '')
        .map((value) => [name, value] as const),
    );
    const { page, pageSize } = query;
    if (given.length === 1) return { page, pageSize, ...Object.fromEntries(given) };
    context.addIssue(`Give one of ${TRACED_BY.join(', ')}`);
    return z.NEVER;
  },
  z.object({
    transaction_id: textFilter('transaction_id').describe('Id of a sale, or another id of the same payment.'),
    click_id: textFilter('click_id').describe('Click id of a customer.'),
    customer_key: textFilter('customer_key').describe('Your id of a customer.'),
    commission_id: idFilter('commission_id').describe('Id of a commission.'),
    ...tracePageFields,
  }),
);

/** Query of `GET /api/advertiser/dashboard/summary`. */
export const summaryQuery = strictQuery(workspaceFields);
