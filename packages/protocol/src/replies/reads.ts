import { z } from 'zod';
import {
  amount,
  count,
  currency,
  customerKey,
  errorCode,
  id,
  listReplyMeta,
  programId,
  rowId,
  time,
} from './envelope.ts';
import { balanceRow, programRow } from './management.ts';
import { testEventTracked } from './tracking.ts';

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

const performanceTrend = z.object({
  trend: z.number().min(0),
  trendDirection: z.enum(['up', 'down', 'stable']),
});
const performanceBounds = { dateFrom: time, dateTo: time };

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

/**
 * A page of the decisions about a customer, in order. If a partner reads it, the fields that identify the customer
 * are removed. If that partner has a sale by a customer of another partner, the fields about the other partner are
 * null.
 */
export const traceRow = z.object({
  customer: z.object({
    customer_status: z.enum(['click', 'lead', 'conversion']),
    click_id: z
      .string()
      .nullable()
      .describe(
        "Click id of the customer's click. Null if the reader is a partner and the customer belongs to another partner.",
      ),
    customer_key: customerKey.optional(),
    customer_key_state: z.enum(['claimed', 'verified']).nullable().optional(),
    email: z.string().nullable().describe('Email address, masked.').optional(),
    partner_id: rowId.nullable().describe('Id of the partner.'),
    last_click_at: time.nullable(),
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
      why: z.string().describe('Explanation of the rule behind the step.'),
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

/** The totals of all programs that the caller may read. */
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
