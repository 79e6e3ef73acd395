import {
  eventsReply,
  integrationReply,
  itemReply,
  performanceReply,
  statusReply,
  summaryRow,
  testChainReply,
  traceRow,
  transactionsExistReply,
} from '@affkit/protocol';
import { body, type Descriptions, reply } from './description.ts';
import { AT, CLICK_ID, page } from './examples.ts';

const noTests = { testEventCount: 0, hasTestEvents: false, latestTestEvent: null };
const stable = { trend: 0, trendDirection: 'stable' } as const;

export const readDescriptions: Descriptions = {
  'GET /api/tracking/status/:programId': {
    id: 'readStatus',
    tag: 'Dashboard',
    summary: "How a program's integration stands",
    replies: {
      200: reply('The steps of the integration.', statusReply, {
        'After a test click': {
          data: {
            programId: '1',
            stepStatuses: { pageview: 'complete', referrals: 'pending', payments: 'pending' },
            statistics: {
              pageview: {
                testEventCount: 1,
                hasTestEvents: true,
                latestTestEvent: { id: 1, timestamp: AT, createdAt: AT },
              },
              referrals: noTests,
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
            lastUpdated: AT,
          },
        },
      }),
    },
  },
  'GET /api/tracking/events/:programId': {
    id: 'listEvents',
    tag: 'Dashboard',
    summary: 'Clicks, leads and sales, newest first',
    description: '`total` is exact. Test events are left out.',
    replies: {
      200: reply('A page of events.', eventsReply, {
        'A sale': {
          data: [
            {
              id: 1,
              event_type: 'conversion',
              click_id: CLICK_ID,
              timestamp: AT,
              createdAt: AT,
              amount_cents: 1999,
              currency: 'USD',
              sale_type: 'payment',
              payment_status: 'paid',
              processor_event_id: 'order-1',
              is_recurring: false,
            },
          ],
          meta: page(1),
        },
      }),
    },
  },
  'GET /api/tracking/performance/:programId': {
    id: 'readPerformance',
    tag: 'Dashboard',
    summary: 'Figures by day, their sums and trends',
    description:
      'Days are UTC days; a day without activity has a row of zeros. Revenue is gross, in major units of the program’s currency; other currencies stand in `metrics.other_currencies`.',
    replies: {
      200: reply('Days, sums, bounds.', performanceReply, {
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
            leadsTrend: stable,
            conversionsTrend: stable,
            revenueTrend: stable,
            partnersTrend: stable,
            salesTrend: stable,
            commissionTrend: stable,
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
    summary: 'Why a partner was, or was not, credited',
    description:
      'Give one of the three. Each step has a stable `reason` and says in `why` by which rule it fell. A partner’s session asks by `transaction_id` or `click_id`, and finds its own customers alone; what names them, or belongs to others, is left out.',
    replies: {
      200: reply('Every step, with the rule that decided.', itemReply(traceRow), {
        'A click': {
          success: true,
          data: {
            customer: {
              customer_status: 'click',
              click_id: CLICK_ID,
              customer_key: null,
              customer_key_state: null,
              email: null,
              partner_id: 1,
              last_click_at: AT,
              signup_date: null,
              first_purchase_date: null,
            },
            steps: [
              {
                at: AT,
                step: 'click',
                reason: 'click_recorded',
                why: 'The first visit by a partner’s link: the customer is that partner’s.',
                detail: {
                  id: 1,
                  partner_id: 1,
                  link_id: 1,
                  page_url: 'https://shop.example/',
                  referrer_url: null,
                },
              },
              {
                at: AT,
                step: 'missing',
                reason: 'no_sale_reported',
                why: 'No sale was reported with this customer_key or click_id. A request that was refused leaves no trace.',
                detail: { has_lead: false },
              },
            ],
          },
        },
      }),
    },
    errors: ['not_found'],
  },
  'GET /api/advertiser/dashboard/summary': {
    id: 'readSummary',
    tag: 'Dashboard',
    summary: 'Totals over all programs that the credential may see',
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
    summary: 'Which sales are recorded',
    body: body('ExistsRequest', {
      'Two orders': { transaction_ids: ['order-1', 'order-2'] },
    }),
    replies: {
      200: reply("Of the token's program alone.", transactionsExistReply, {
        'One of two': { success: true, existing: ['order-1'], missing: ['order-2'] },
      }),
    },
  },
  'POST /api/v1/cli/test-event': {
    id: 'testChain',
    tag: 'Integration',
    summary: 'Test click, lead and sale',
    description:
      'Runs the three in test mode as the shop would: by a working link, from the page of `site_url`. Each has a verdict. Ten times an hour, then 429.',
    body: body('TestEventRequest', { 'The chain': { type: 'chain' } }),
    replies: {
      200: reply('A verdict for each step.', testChainReply, {
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
    summary: "Health of a program's integration",
    description:
      '`healthy` says that a partner is approved and that a click, a lead and a sale have come, in earnest or in test mode.',
    replies: {
      200: reply('The integration.', integrationReply, {
        'A healthy one': {
          success: true,
          program_id: 1,
          name: 'Tea Shop',
          slug: 'tea-shop',
          domain: 'shop.example',
          status: 'live',
          api_token_masked: 'aff_abcd…wxyz',
          steps: { pageview: 'complete', referrals: 'complete', payments: 'pending' },
          last_event_at: { click: AT, lead: AT, sale: AT },
          recent_events: { clicks_24h: 40, leads_24h: 4, sales_24h: 2 },
          active_partners: 2,
          pending_commissions: 2,
          healthy: true,
          checked_at: AT,
        },
      }),
    },
  },
};
