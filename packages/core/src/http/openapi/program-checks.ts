import { listReply, refusalRow } from '@affkit/protocol';
import { type Descriptions, reply } from './description.ts';
import { AT, page } from './examples.ts';

export const programCheckDescriptions: Descriptions = {
  'GET /api/advertiser/affiliate-programs/:id/refusals': {
    id: 'listRefusals',
    tag: 'Integration',
    summary: 'List the rejected tracking calls of a program',
    description:
      'The last 1,000 rejected clicks, leads, sales and refunds that named the program by its token, a link, a click id or `program_id`, newest first. Calls with an invalid token name no program. Under heavy load, some calls are missing.',
    replies: {
      200: reply('A page of rejected calls.', listReply(refusalRow), {
        'A sale of an unknown customer': {
          success: true,
          data: [
            {
              id: 1,
              refused_at: AT,
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
          meta: page(1),
        },
      }),
    },
  },
};
