import { z } from 'zod';
import { count, errorCode, id, listMeta, time } from './envelope.ts';

const step = z.enum(['complete', 'pending']);
const steps = z.object({ pageview: step, referrals: step, payments: step });
const testEvents = z.object({
  testEventCount: z.int().min(0).max(10),
  hasTestEvents: z.boolean(),
  latestTestEvent: z.object({ id, timestamp: time, createdAt: time }).nullable(),
});

/** Reply of `GET /api/tracking/status/:programId`. */
export const statusReply = z.object({
  data: z.object({
    programId: z.string(),
    stepStatuses: steps,
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

const eventFields = { id, click_id: z.string().nullable(), timestamp: time, createdAt: time };

/** An event as the dashboard lists it. */
export const eventRow = z.discriminatedUnion('event_type', [
  z.object({
    ...eventFields,
    event_type: z.literal('click'),
    session_id: z.string().nullable(),
    page_url: z.string().nullable(),
    referrer_url: z.string().nullable(),
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
    customer_key: z.string().nullable(),
    session_id: z.string().nullable(),
    page_url: z.string().nullable(),
    converted: z.boolean(),
  }),
  z.object({
    ...eventFields,
    event_type: z.literal('conversion'),
    amount_cents: z.int().positive(),
    currency: z.string(),
    sale_type: z.enum(['payment', 'subscription']),
    payment_status: z.string(),
    processor_event_id: z.string(),
    is_recurring: z.boolean(),
  }),
]);

/** Reply of `GET /api/tracking/events/:programId`. */
export const eventsReply = z.object({ data: z.array(eventRow), meta: listMeta });

const trend = z.object({
  trend: z.number().min(0),
  trendDirection: z.enum(['up', 'down', 'stable']),
});
const bounds = { dateFrom: time, dateTo: time };

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
    clicksTrend: trend,
    leadsTrend: trend,
    conversionsTrend: trend,
    revenueTrend: trend,
    partnersTrend: trend,
    salesTrend: trend,
    commissionTrend: trend,
    other_currencies: z.array(
      z.object({ currency: z.string(), totalRevenue: z.number(), totalPartnersCommission: z.number() }),
    ),
  }),
  meta: z.object({
    period: z.enum(['7d', '30d', '90d', 'all', 'custom']),
    ...bounds,
    previousPeriod: z.object(bounds),
  }),
});

/** A customer's story, in order. A partner is not told what names the customer. */
export const traceRow = z.object({
  customer: z.object({
    customer_status: z.enum(['click', 'lead', 'conversion']),
    click_id: z.string(),
    customer_key: z.string().nullable().optional(),
    customer_key_state: z.enum(['claimed', 'verified']).nullable().optional(),
    email: z.string().nullable().optional(),
    partner_id: id.nullable(),
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
      reason: z.string(),
      why: z.string(),
      detail: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** Totals over the programs that the credential may see. */
export const summaryRow = z.object({
  programs: count,
  live_programs: count,
  partners: count,
  pending_partners: count,
  clicks: count,
  leads: count,
  conversions: count,
  sales: count,
  revenue: z.array(z.object({ currency: z.string(), amount_cents: z.int() })),
  commission: z.array(z.object({ currency: z.string(), amount_cents: z.int() })),
  pending_commissions: count,
  balances: z.array(z.object({ currency: z.string(), balance_cents: z.int() })),
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
  program_id: id,
  name: z.string(),
  slug: z.string(),
  domain: z.string(),
  status: z.enum(['draft', 'live']),
  api_token_masked: z.string(),
  steps,
  last_event_at: z.object({ click: time.nullable(), lead: time.nullable(), sale: time.nullable() }),
  recent_events: z.object({ clicks_24h: count, leads_24h: count, sales_24h: count }),
  active_partners: count,
  pending_commissions: count,
  healthy: z.boolean(),
  checked_at: time,
});

const testStep = { step: z.enum(['click', 'lead', 'sale']), message: z.string() };

/** Reply of `POST /api/v1/cli/test-event`: a verdict for each step. */
export const testChainReply = z.object({
  success: z.literal(true),
  type: z.literal('chain'),
  program_id: id,
  healthy: z.boolean(),
  steps: z.array(
    z.discriminatedUnion('ok', [
      z.object({
        ...testStep,
        ok: z.literal(true),
        data: z.object({ eventId: id, programId: id, test_mode: z.literal(true) }),
      }),
      z.object({ ...testStep, ok: z.literal(false), code: errorCode }),
    ]),
  ),
});
