import {
  eventsReply,
  integrationReply,
  itemReply,
  performanceReply,
  statusReply,
  summaryRow,
  testChainReply,
  traceReply,
  transactionsExistReply,
} from '@affkit/protocol';
import { body, type Descriptions, joinParagraphs, reply } from './description.ts';
import { EXAMPLE_CLICK_ID, EXAMPLE_TIME, examplePagination } from './examples.ts';

const exampleNoTests = { testEventCount: 0, hasTestEvents: false, latestTestEvent: null };
const exampleStableTrend = { trend: 0, trendDirection: 'stable' } as const;

export const readDescriptions: Descriptions = {
  'GET /api/tracking/status/:programId': {
    id: 'readStatus',
    tag: 'Dashboard',
    summary: 'Get the setup status of a program',
    replies: {
      200: reply('The status of each step.', statusReply, {
        'After a test click': {
          data: {
            programId: '1',
            stepStatuses: { pageview: 'complete', referrals: 'pending', payments: 'pending' },
            statistics: {
              pageview: {
                testEventCount: 1,
                hasTestEvents: true,
                latestTestEvent: { id: 1, timestamp: EXAMPLE_TIME, createdAt: EXAMPLE_TIME },
              },
              referrals: exampleNoTests,
              payments: {
                processorConnectionStatus: 'not_connected',
                isProcessorConnected: false,
                processorAccountId: null,
                chargesEnabled: false,
                payoutsEnabled: false,
                detailsSubmitted: false,
                connectionDate: null,
              },
            },
            hasPartners: true,
            lastUpdated: EXAMPLE_TIME,
          },
        },
      }),
    },
  },
  'GET /api/tracking/events/:programId': {
    id: 'listEvents',
    tag: 'Dashboard',
    summary: 'List clicks, leads and sales',
    description:
      'Newest first, without test events. `total` is exact unless a search matches more than 1,000 events. In that case, `total` is 1,000, and `total_capped` is present.',
    replies: {
      200: reply('A page of events.', eventsReply, {
        'A sale': {
          data: [
            {
              id: 1,
              event_type: 'conversion',
              click_id: EXAMPLE_CLICK_ID,
              timestamp: EXAMPLE_TIME,
              createdAt: EXAMPLE_TIME,
              partner_id: 1,
              link_id: 1,
              amount_cents: 1999,
              currency: 'USD',
              sale_type: 'payment',
              payment_status: 'paid',
              processor_event_id: 'order-1',
              is_recurring: false,
              no_commission_reason: null,
            },
          ],
          meta: { ...examplePagination(1), clicks_complete_from: null },
        },
      }),
    },
  },
  'GET /api/tracking/performance/:programId': {
    id: 'readPerformance',
    tag: 'Dashboard',
    summary: 'Get daily figures with totals and trends',
    description:
      'Days are UTC days. A day without activity has a row of zeros. Revenue is gross, in major units of the program’s currency. Other currencies are listed in `metrics.other_currencies`.',
    replies: {
      200: reply('Daily figures, totals and the bounds of the period.', performanceReply, {
        'One day': {
          data: [
            {
              date: '2026-01-31',
              period: '2026-01-31',
              clicks: 40,
              leads: 4,
              conversions: 2,
              revenue: 39.98,
              partners: 0,
              sales: 0,
              commission: 8,
            },
          ],
          metrics: {
            totalClicks: 40,
            totalLeads: 4,
            totalConversions: 2,
            totalRevenue: 39.98,
            conversionRate: 5,
            averageOrderValue: 19.99,
            totalPartners: 0,
            totalSales: 2,
            totalPartnersCommission: 8,
            clicksTrend: { trend: 25, trendDirection: 'up' },
            leadsTrend: exampleStableTrend,
            conversionsTrend: exampleStableTrend,
            revenueTrend: exampleStableTrend,
            partnersTrend: exampleStableTrend,
            salesTrend: exampleStableTrend,
            commissionTrend: exampleStableTrend,
            other_currencies: [],
          },
          meta: {
            period: 'custom',
            dateFrom: '2026-01-31T00:00:00.000Z',
            dateTo: '2026-01-31T23:59:59.999Z',
            previousPeriod: { dateFrom: '2026-01-30T00:00:00.000Z', dateTo: '2026-01-30T23:59:59.999Z' },
          },
        },
      }),
    },
  },
  'GET /api/advertiser/affiliate-programs/:id/trace': {
    id: 'readTrace',
    tag: 'Commissions',
    summary: 'Explain why a partner was or was not credited',
    description: joinParagraphs(
      'Requires exactly one of `transaction_id`, `click_id`, `customer_key`, and `commission_id`.',
      'The steps are sorted by `at`, the time when they were recorded, oldest first. `click_date`, `lead_date`, and `sale_date` in `detail` are the times of the events themselves. Each step has a stable `reason`, and its `why` explains the rule behind it.',
      'With the session of a partner, pass `transaction_id`, `click_id` or `commission_id`. The request then finds only customers and sales of that partner, and the reply omits fields that identify the customer or are about others.',
    ),
    replies: {
      200: reply('A page of steps, each with the rule behind it.', traceReply, {
        'A click': {
          success: true,
          data: {
            customer: {
              customer_status: 'click',
              click_id: EXAMPLE_CLICK_ID,
              customer_key: null,
              customer_key_state: null,
              email: null,
              partner_id: 1,
              last_click_at: EXAMPLE_TIME,
              signup_date: null,
              first_purchase_date: null,
            },
            steps: [
              {
                at: EXAMPLE_TIME,
                step: 'click',
                reason: 'click_recorded',
                why: 'This was the customer’s first visit through a partner’s link, so the customer belongs to that partner.',
                detail: {
                  id: 1,
                  partner_id: 1,
                  link_id: 1,
                  page_url: 'https://shop.example/',
                  referrer_url: null,
                  click_date: EXAMPLE_TIME,
                },
              },
              {
                at: EXAMPLE_TIME,
                step: 'missing',
                reason: 'no_sale_reported',
                why: 'No sale was recorded for this customer. The trace does not contain rejected requests.',
                detail: { has_lead: false },
              },
            ],
          },
          meta: { pagination: { page: 1, pageSize: 100, pageCount: 1, total: 2 } },
        },
      }),
    },
    errors: ['not_found'],
  },
  'GET /api/advertiser/dashboard/summary': {
    id: 'readSummary',
    tag: 'Dashboard',
    summary: 'Get totals of all programs that the caller may read',
    replies: {
      200: reply('The totals.', itemReply(summaryRow), {
        'One program': {
          success: true,
          data: {
            programs: 1,
            live_programs: 1,
            partners: 2,
            pending_partners: 0,
            clicks: 40,
            leads: 4,
            conversions: 2,
            sales: 2,
            revenue: [{ currency: 'USD', amount_cents: 3998 }],
            commission: [{ currency: 'USD', amount_cents: 800 }],
            pending_commissions: 2,
            balances: [{ currency: 'USD', balance_cents: 800 }],
          },
        },
      }),
    },
  },
  'POST /api/v1/track/exists': {
    id: 'findTransactions',
    tag: 'Integration',
    summary: 'Check which sales are recorded',
    description: "Only sales of the token's program count.",
    body: body('ExistsRequest', {
      'Two orders': { transaction_ids: ['order-1', 'order-2'] },
    }),
    replies: {
      200: reply("The ids, with and without a sale in the token's program.", transactionsExistReply, {
        'One of two sales recorded': { success: true, existing: ['order-1'], missing: ['order-2'] },
      }),
    },
  },
  'POST /api/v1/cli/test-event': {
    id: 'testChain',
    tag: 'Integration',
    summary: 'Test a click, a lead and a sale',
    description:
      'Sends the three events in test mode as the shop would: with an active link, from the page at `site_url`. Each step has its own result. Limited to ten requests per hour.',
    body: body('TestEventRequest', { 'The chain': { type: 'chain' } }),
    replies: {
      200: reply('The result of each step.', testChainReply, {
        'A page that is not allowed': {
          success: true,
          type: 'chain',
          program_id: 1,
          healthy: false,
          steps: [
            { step: 'click', ok: false, message: 'Origin not allowed', code: 'origin_not_allowed' },
            { step: 'lead', ok: false, message: 'Origin not allowed', code: 'origin_not_allowed' },
            {
              step: 'sale',
              ok: true,
              message: 'Test sale recorded',
              data: { eventId: 1, programId: 1, test_mode: true },
            },
          ],
        },
      }),
    },
    errors: ['rate_limited'],
  },
  'GET /api/v1/cli/status': {
    id: 'readIntegration',
    tag: 'Integration',
    summary: 'Get the health of an integration',
    description:
      '`healthy` is true if a partner is approved and a click, a lead and a sale have arrived. Test events count too.',
    replies: {
      200: reply('The state of the integration.', integrationReply, {
        'A healthy integration': {
          success: true,
          program_id: 1,
          name: 'Tea Shop',
          slug: 'tea-shop',
          domain: 'shop.example',
          status: 'live',
          api_token_masked: 'aff_abcd…wxyz',
          steps: { pageview: 'complete', referrals: 'complete', payments: 'pending' },
          last_event_at: { click: EXAMPLE_TIME, lead: EXAMPLE_TIME, sale: EXAMPLE_TIME },
          recent_events: { clicks_24h: 40, leads_24h: 4, sales_24h: 2 },
          active_partners: 2,
          pending_commissions: 2,
          healthy: true,
          checked_at: EXAMPLE_TIME,
        },
      }),
    },
  },
};
