import {
  breakdownReply,
  itemReply,
  listReply,
  programSetupRow,
  refusalRow,
  testChainRow,
} from '@affkit/protocol';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination } from './examples.ts';

const exampleReceivedStep = {
  state: 'received',
  last_at: EXAMPLE_TIME,
  last_test_at: null,
  last_rejected: null,
} as const;
const exampleWaitingStep = {
  state: 'waiting',
  total: 0,
  last_at: null,
  last_test_at: null,
  last_rejected: null,
} as const;

export const programCheckDescriptions: Descriptions = {
  'GET /api/advertiser/affiliate-programs/:id/breakdown': {
    id: 'readBreakdown',
    tag: 'Dashboard',
    summary: 'Break the figures of a program down by country, referrer, device or page',
    description:
      "Each event counts on the day on which it happened. Leads and sales count under the country, referrer, device, and page of the customer's first click. A background job adds new events within seconds. The figures include all events stored before `as_of`. Per day, at most 100 values (for countries, 250) have their own rows, and one row sums up all others.",
    replies: {
      200: reply('The values, and the sum of all others.', breakdownReply, {
        'By country': {
          success: true,
          data: [
            {
              value: 'DE',
              is_other: false,
              clicks: 1204,
              leads: 31,
              sales: 12,
              revenue: [{ currency: 'USD', amount_cents: 23988 }],
            },
            { value: null, is_other: true, clicks: 80, leads: 2, sales: 0, revenue: [] },
          ],
          meta: {
            by: 'country',
            dateFrom: '2026-01-02T00:00:00.000Z',
            dateTo: '2026-01-31T23:59:59.999Z',
            as_of: EXAMPLE_TIME,
          },
        },
      }),
    },
  },
  'GET /api/advertiser/affiliate-programs/:id/integration': {
    id: 'readSetup',
    tag: 'Integration',
    summary: 'Get the setup progress of a program',
    description:
      'The four steps of the integration, in order: click, lead, sale and refund. Each step shows whether a real event or a test event has arrived, and the time of the last event. A step without a real event lists possible reasons.',
    replies: {
      200: reply('The steps.', itemReply(programSetupRow), {
        'A program that waits for its first lead': {
          success: true,
          data: {
            steps: [
              { ...exampleReceivedStep, step: 'click', total: 12, missing: [] },
              {
                ...exampleWaitingStep,
                step: 'lead',
                missing: [
                  {
                    reason: 'no_event',
                    why: 'Report a lead after the sign-up, with affkit.lead() in the browser or POST /api/v1/track/lead.',
                  },
                ],
              },
            ],
            webhook: null,
            healthy: false,
            checked_at: EXAMPLE_TIME,
          },
        },
      }),
    },
  },
  'POST /api/advertiser/affiliate-programs/:id/test-event': {
    id: 'testProgram',
    tag: 'Integration',
    summary: 'Test a click, a lead and a sale of a program',
    description:
      'Sends the three events in test mode as the shop would: with an active link, from the page at `site_url`. Each step has its own result. Limited to ten requests per hour and program, together with `POST /api/v1/cli/test-event`.',
    body: body('ProgramTestEventRequest', { 'The chain': { type: 'chain' } }),
    replies: {
      200: reply('The result of each step.', itemReply(testChainRow), {
        'A page that is not allowed': {
          success: true,
          data: {
            healthy: false,
            steps: [{ step: 'click', ok: false, message: 'Origin not allowed', code: 'origin_not_allowed' }],
          },
        },
      }),
    },
    errors: ['rate_limited'],
  },
  'GET /api/advertiser/affiliate-programs/:id/refusals': {
    id: 'listRefusals',
    tag: 'Integration',
    summary: 'List the rejected tracking calls of a program',
    description:
      'Rejected clicks, leads, sales and refunds that named the program by its token, a link, a click id or `program_id`, newest first. At most 1,000 are kept, including the last 500 with a token and the last 500 without one. Sales and refunds with an invalid token are not listed, because their program is unknown. Under heavy load, some calls are missing.',
    replies: {
      200: reply('A page of rejected calls.', listReply(refusalRow), {
        'A sale of an unknown customer': {
          success: true,
          data: [
            {
              id: 1,
              refused_at: EXAMPLE_TIME,
              route: 'sale',
              status: 400,
              code: 'sale_customer_not_found',
              reason: 'Customer not found. Provide customer_key or click_id.',
              request_id: 'req_01j8z3k5v7',
              has_token: true,
              body: {
                transaction_id: 'order-1',
                amount_cents: 1999,
                currency: 'USD',
                customer_key: 'user-1',
              },
            },
          ],
          meta: examplePagination(1),
        },
      }),
    },
  },
};
