import {
  itemReply,
  portalBalanceRow,
  portalLinkListReply,
  portalLinkRow,
  portalLinkSeriesReply,
  portalListedLinkRow,
  portalSubIdsReply,
  seriesReply,
} from '@affkit/protocol';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, exampleLink, examplePagination, examplePartner, exampleProgram } from './examples.ts';

const examplePortalLink = {
  ...exampleLink,
  program_id: exampleProgram.id,
  landing_path: '/blog/tea',
  sub_id: 'newsletter',
};
const exampleFigures = {
  clicks: 120,
  leads: 9,
  sales: 4,
  earnings: [{ currency: 'USD', amount_cents: 3200 }],
};
const exampleListedLink = { ...examplePortalLink, ...exampleFigures };

const exampleRange = { date_from: '2026-03-01T00:00:00.000Z', date_to: '2026-03-01T23:59:59.999Z' };
const exampleSeries = {
  data: {
    unit: 'day' as const,
    times: [exampleRange.date_from],
    series: [
      {
        measure: 'clicks' as const,
        currency: null,
        values: [12],
        total: 12,
        previous_values: [8],
        previous_total: 8,
      },
    ],
  },
  meta: {
    ...exampleRange,
    previous: { date_from: '2026-02-28T00:00:00.000Z', date_to: '2026-02-28T23:59:59.999Z' },
  },
};

export const portalFigureDescriptions: Descriptions = {
  'GET /api/partner/balances': {
    id: 'listOwnBalances',
    tag: 'Partner',
    summary: "Get the partner's balances",
    description:
      'What the partner is owed and was paid, per program and currency. Includes deleted programs. `balance_cents` is the sum of the unpaid amounts, minus deductions from commissions that were already paid.',
    errors: ['not_found'],
    replies: {
      200: reply('The balances, ordered by program and currency.', itemReply(portalBalanceRow.array()), {
        One: {
          success: true,
          data: [
            {
              program_id: exampleProgram.id,
              partner_id: examplePartner.id,
              currency: 'USD',
              pending_cents: 1500,
              on_hold_cents: 4200,
              payable_cents: 8000,
              to_deduct_cents: 0,
              in_payout_cents: 0,
              paid_cents: 25_000,
              balance_cents: 13_700,
              next_release_at: EXAMPLE_TIME,
            },
          ],
        },
      }),
    },
  },
  'GET /api/partner/series': {
    id: 'readOwnSeries',
    tag: 'Partner',
    summary: "Get the partner's daily figures",
    description:
      'Figures of the partner in one program, and those of the preceding range of equal length. `commission` is the earned amount, before deductions for refunds.',
    errors: ['not_found'],
    replies: {
      200: reply('One series for each count. An amount has one series for each currency.', seriesReply, {
        'One day': { success: true, ...exampleSeries },
      }),
    },
  },
  'GET /api/partner/links': {
    id: 'listOwnLinks',
    tag: 'Partner',
    summary: "List the partner's links",
    description: 'The links of the partner in all programs, each with its figures over all time.',
    errors: ['not_found'],
    replies: {
      200: reply('A page of links, newest first.', portalLinkListReply, {
        One: {
          success: true,
          data: [exampleListedLink],
          meta: { ...examplePagination(1), as_of: EXAMPLE_TIME },
        },
      }),
    },
  },
  'POST /api/partner/links': {
    id: 'createOwnLink',
    tag: 'Partner',
    summary: 'Create a link of the partner',
    description:
      'The partner must be approved in the program. A partner can have at most 500 links in a program.',
    body: body('PartnerLinkCreate', {
      'Own code': { program_id: exampleProgram.id, short_link: 'tea-blog' },
      'Page and sub-id': { program_id: exampleProgram.id, landing_path: '/blog/tea', sub_id: 'newsletter' },
    }),
    errors: ['not_found', 'short_link_taken'],
    replies: {
      201: reply('The new link.', itemReply(portalLinkRow), {
        Created: { success: true, data: examplePortalLink },
      }),
    },
  },
  'GET /api/partner/links/:linkId': {
    id: 'readOwnLink',
    tag: 'Partner',
    summary: 'Get a link of the partner',
    description: 'The figures cover all time. Inactive links can be read too.',
    errors: ['not_found'],
    replies: {
      200: reply('The link with its figures.', itemReply(portalListedLinkRow), {
        One: { success: true, data: exampleListedLink },
      }),
    },
  },
  'GET /api/partner/links/:linkId/series': {
    id: 'readOwnLinkSeries',
    tag: 'Partner',
    summary: "Get a link's daily figures",
    description:
      'A lead or sale counts only for one link and sub-id of the partner: those of the customer’s first click on any link of this partner. `commission` is the earned amount, before deductions for refunds.',
    errors: ['not_found'],
    replies: {
      200: reply(
        'One series for each count. An amount has one series for each currency.',
        portalLinkSeriesReply,
        {
          'One day': {
            success: true,
            ...exampleSeries,
            meta: { ...exampleSeries.meta, as_of: EXAMPLE_TIME },
          },
        },
      ),
    },
  },
  'GET /api/partner/links/:linkId/sub-ids': {
    id: 'listOwnSubIds',
    tag: 'Partner',
    summary: "List a link's sub-ids",
    description:
      'The figures of each sub-id in a range of days. Per day, at most 100 sub-ids of a link, 200 of a partner, and 2,000 of a program are counted separately. If a program reaches its limit, up to 20 sub-ids of each partner are still counted separately. The row whose `sub_id` is null sums up all others.',
    errors: ['not_found'],
    replies: {
      200: reply('The sub-ids, most clicks first.', portalSubIdsReply, {
        One: {
          success: true,
          data: [{ sub_id: 'newsletter', ...exampleFigures }],
          meta: { ...examplePagination(1), ...exampleRange, as_of: EXAMPLE_TIME },
        },
      }),
    },
  },
};
