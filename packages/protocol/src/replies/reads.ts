import { z } from 'zod';
import {
  afterField,
  boundsInOrder,
  choiceFilter,
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
} from '../query-fields.ts';
import { strictQuery, unknownNames } from '../strict-fields.ts';
import { testEventTracked } from '../tracking.ts';
import { amount, count, currency, errorCode, id, listReplyMeta, programId, rowId, time } from './envelope.ts';
import { balanceRow, programRow } from './management.ts';

const statusStep = z.enum(['complete', 'pending']);
const statusSteps = z.object({ pageview: statusStep, referrals: statusStep, payments: statusStep });
const testEvents = z.object({
  testEventCount: z.int().min(0).max(10),
  hasTestEvents: z.boolean(),
  latestTestEvent: z.object({ id, timestamp: time, createdAt: time }).nullable(),
});

/** Reply of `GET /api/tracking/status/:programId`. */
export const statusReply = z.object({
  data: z.object({
    programId: z.string(),
    stepStatuses: statusSteps,
    statistics: z.object({
      pageview: testEvents,
      referrals: testEvents,
      payments: z.object({
        processorConnectionStatus: z.string(),
        isProcessorConnected: z.boolean(),
        processorAccountId: z.string().nullable(),
        chargesEnabled: z.boolean(),
        payoutsEnabled: z.boolean(),
        detailsSubmitted: z.boolean(),
        connectionDate: time.nullable(),
      }),
    }),
    hasPartners: z.boolean(),
    lastUpdated: time,
  }),
});

const eventFields = {
  id,
  click_id: z.string().nullable().describe("Click id of the visitor's click."),
  timestamp: time,
  createdAt: time,
  partner_id: rowId
    .nullable()
    .describe(
      'Id of the partner: for a click, the partner of the link; for a lead or a conversion, the partner of the customer.',
    ),
  link_id: rowId
    .nullable()
    .describe(
      'Id of the link: for a click, the visited link; for a lead or a conversion, the link of the customer.',
    ),
};
const sessionId = z.string().nullable().describe("Your id of the visitor's session.");
const pageUrl = z.string().nullable().describe('URL of the page.');
const customerKey = z.string().nullable().describe('Your id of the customer.');

/** An event as the dashboard lists it. */
export const eventRow = z.discriminatedUnion('event_type', [
  z.object({
    ...eventFields,
    event_type: z.literal('click'),
    session_id: sessionId,
    sub_id: z.string().nullable().describe('Id that the partner gave the placement or campaign.'),
    page_url: pageUrl,
    referrer_url: z.string().nullable().describe('URL of the page that the visitor came from.'),
    geo_country: z.string().nullable(),
    geo_region: z.string().nullable(),
    geo_city: z.string().nullable(),
    device_type: z.string().nullable(),
    device_os: z.string().nullable(),
    browser_name: z.string().nullable(),
    converted: z.boolean(),
  }),
  z.object({
    ...eventFields,
    event_type: z.literal('lead'),
    customer_key: customerKey,
    session_id: sessionId,
    page_url: pageUrl,
    converted: z.boolean(),
  }),
  z.object({
    ...eventFields,
    event_type: z.literal('conversion'),
    amount_cents: z.int().positive().describe('Amount, in the smallest unit of the currency.'),
    currency,
    sale_type: z
      .enum(['payment', 'subscription'])
      .describe('Whether this is a single payment or a payment of a subscription.'),
    payment_status: z.string(),
    processor_event_id: z.string(),
    is_recurring: z.boolean().describe('Whether this payment is a renewal.'),
    no_commission_reason: z
      .enum(['window_expired', 'recurring_ended', 'below_min_sale', 'zero_amount'])
      .nullable()
      .describe('Why the sale earns no commission.'),
  }),
]);

/** Query of `GET /api/tracking/events/:programId`. */
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
      'Lists only events of customers with this click id, and of customers whose `customer_key` or transaction id starts with this text, in any case of the letters a to z. Finds at most 100 customers and 1,000 events.',
    ),
  })
  .check(boundsInOrder);

/** Reply of `GET /api/tracking/events/:programId`. */
export const eventsReply = z.object({ data: z.array(eventRow), meta: listReplyMeta });

const performanceTrend = z.object({
  trend: z.number().min(0),
  trendDirection: z.enum(['up', 'down', 'stable']),
});
const performanceBounds = { dateFrom: time, dateTo: time };

const DAY_MS = 86_400_000;
/** Limits the size of the reply, which has a row for each day. */
const MAX_PERFORMANCE_DAYS = 36_525;

/**
 * Query of `GET /api/tracking/performance/:programId`. If both dates are given, they replace `period`;
 * otherwise they are ignored. Ignored parameters are not validated.
 */
export const performanceQuery = z.preprocess(
  ({ period, dateFrom, dateTo }: Readonly<Record<string, unknown>>) =>
    firstParameterValue(dateFrom) && firstParameterValue(dateTo) ? { dateFrom, dateTo } : { period },
  z
    .object({
      period: parameter(oneOf('period', ['7d', '30d', '90d', 'all']).default('7d')).describe(
        'The current day and the days before it; `all` starts on the first day with data.',
      ),
      dateFrom: rangeFields.dateFrom.describe(
        'With `dateTo`, replaces `period`. The report covers the whole UTC days that the two dates or instants (ISO 8601) fall in; `meta` shows the bounds.',
      ),
      dateTo: rangeFields.dateTo.describe(
        'With `dateFrom`: its whole UTC day is the last day of the report.',
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

/** Reply of `GET /api/tracking/performance/:programId`. */
export const performanceReply = z.object({
  data: z.array(
    z.object({
      date: z.iso.date(),
      period: z.iso.date(),
      clicks: count,
      leads: count,
      conversions: count,
      revenue: z.number(),
      partners: count,
      sales: z.literal(0),
      commission: z.number(),
    }),
  ),
  metrics: z.object({
    totalClicks: count,
    totalLeads: count,
    totalConversions: count,
    totalRevenue: z.number(),
    conversionRate: z.number(),
    averageOrderValue: z.number(),
    totalPartners: count,
    totalSales: count,
    totalPartnersCommission: z.number(),
    clicksTrend: performanceTrend,
    leadsTrend: performanceTrend,
    conversionsTrend: performanceTrend,
    revenueTrend: performanceTrend,
    partnersTrend: performanceTrend,
    salesTrend: performanceTrend,
    commissionTrend: performanceTrend,
    other_currencies: z.array(
      z.object({ currency, totalRevenue: z.number(), totalPartnersCommission: z.number() }),
    ),
  }),
  meta: z.object({
    period: z.enum(['7d', '30d', '90d', 'all', 'custom']),
    ...performanceBounds,
    previousPeriod: z.object(performanceBounds),
  }),
});

const TRACED_BY = ['transaction_id', 'click_id', 'customer_key', 'commission_id'] as const;
const TRACE_PARAMETERS = [...TRACED_BY, ...Object.keys(tracePageFields)];

/** Query of `GET …/trace`: a page, and exactly one of the parameters that name a customer. */
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

/**
 * A page of the decisions about a customer, in order. A partner does not see fields that identify the
 * customer.
 */
export const traceRow = z.object({
  customer: z.object({
    customer_status: z.enum(['click', 'lead', 'conversion']),
    click_id: z.string().describe("Click id of the customer's click."),
    customer_key: customerKey.optional(),
    customer_key_state: z.enum(['claimed', 'verified']).nullable().optional(),
    email: z.string().nullable().describe('Email address, masked.').optional(),
    partner_id: rowId.nullable().describe('Id of the partner.'),
    last_click_at: time,
    signup_date: time.nullable(),
    first_purchase_date: time.nullable(),
  }),
  steps: z.array(
    z.object({
      at: time,
      step: z.enum([
        'click',
        'lead',
        'sale',
        'commission',
        'no_commission',
        'approval',
        'rejection',
        'refund',
        'adjustment',
        'payout',
        'webhook',
        'ledger',
        'note',
        'missing',
      ]),
      reason: z.string().describe('Stable code of the reason.'),
      why: z.string().describe('The rule behind the step, as a sentence.'),
      detail: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** Reply of `GET …/trace`. */
export const traceReply = z.object({
  success: z.literal(true),
  data: traceRow,
  meta: listReplyMeta,
});

/** Query of `GET /api/advertiser/dashboard/summary`. */
export const summaryQuery = strictQuery(workspaceFields);

/** Totals of the programs that the caller may read. */
export const summaryRow = z.object({
  programs: count,
  live_programs: count,
  partners: count,
  pending_partners: count,
  clicks: count,
  leads: count,
  conversions: count,
  sales: count,
  revenue: z.array(z.object({ currency, amount_cents: amount })),
  commission: z
    .array(z.object({ currency, amount_cents: amount }))
    .describe('Commissions that partners earned, by currency.'),
  pending_commissions: count,
  balances: z.array(balanceRow.omit({ payable_cents: true })),
});

/** Reply of `POST /api/v1/track/exists`. */
export const transactionsExistReply = z.object({
  success: z.literal(true),
  existing: z.array(z.string()),
  missing: z.array(z.string()),
});

/** Reply of `GET /api/v1/cli/status`. */
export const integrationReply = z.object({
  success: z.literal(true),
  program_id: programId,
  name: programRow.shape.name,
  slug: programRow.shape.slug,
  domain: z.string(),
  status: programRow.shape.status,
  api_token_masked: programRow.shape.api_token_masked,
  steps: statusSteps,
  last_event_at: z.object({ click: time.nullable(), lead: time.nullable(), sale: time.nullable() }),
  recent_events: z.object({ clicks_24h: count, leads_24h: count, sales_24h: count }),
  active_partners: count,
  pending_commissions: count,
  healthy: z.boolean(),
  checked_at: time,
});

const testStep = { step: z.enum(['click', 'lead', 'sale']), message: z.string() };

/** Reply of `POST /api/v1/cli/test-event`: the result of each step. */
export const testChainReply = z.object({
  success: z.literal(true),
  type: z.literal('chain').describe('Type of the test: `chain` is a click, a lead and a sale.'),
  program_id: programId,
  healthy: z.boolean(),
  steps: z.array(
    z.discriminatedUnion('ok', [
      z.object({
        ...testStep,
        ok: z.literal(true),
        data: testEventTracked.shape.data,
      }),
      z.object({ ...testStep, ok: z.literal(false), code: errorCode.describe('Stable code.') }),
    ]),
  ),
});
