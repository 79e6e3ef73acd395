import { createdReply, itemReply, listReply, payoutRow } from '@affkit/protocol';
import { body, type Descriptions, reply } from './description.ts';
import { AT, page, payout } from './examples.ts';

const P = '/api/advertiser/affiliate-programs/:id/payouts';

const paid = { ...payout, status: 'paid' as const, reference: 'SEPA 2026-01', paid_at: AT };

export const payoutDescriptions: Descriptions = {
  [`GET ${P}`]: {
    id: 'listPayouts',
    tag: 'Payouts',
    summary: 'List payouts',
    replies: {
      200: reply('A page of payouts.', listReply(payoutRow), {
        One: { success: true, data: [payout], meta: page(1) },
      }),
    },
  },
  [`POST ${P}`]: {
    id: 'createPayouts',
    tag: 'Payouts',
    summary: 'Create payouts of all payable amounts',
    description:
      'Creates one payout for each partner and currency, with clawbacks deducted. A later payout can pay amounts below the minimum. Rejected or banned partners are paid only if `partner_ids` lists them.',
    body: body('PayoutOrder', {
      'All partners': { min_amount_cents: 2000 },
      'One partner': { partner_ids: [1] },
    }),
    replies: {
      201: reply('The new payouts, if any.', createdReply(payoutRow), {
        One: { success: true, data: [payout] },
      }),
    },
  },
  [`GET ${P}/:payoutId`]: {
    id: 'readPayout',
    tag: 'Payouts',
    summary: 'Get a payout',
    replies: {
      200: reply('The payout.', itemReply(payoutRow), { One: { success: true, data: payout } }),
    },
    errors: ['not_found'],
  },
  [`POST ${P}/:payoutId/mark-paid`]: {
    id: 'markPayoutPaid',
    tag: 'Payouts',
    summary: 'Mark a payout as paid',
    description: 'The `reference` of a paid payout cannot be changed.',
    body: body('PayoutPayment', { 'By transfer': { reference: 'SEPA 2026-01' } }),
    replies: {
      200: reply('The paid payout. A repeated request succeeds too.', itemReply(payoutRow), {
        Paid: { success: true, data: paid },
      }),
    },
    errors: ['not_found', 'payout_state'],
  },
  [`POST ${P}/:payoutId/cancel`]: {
    id: 'cancelPayout',
    tag: 'Payouts',
    summary: 'Cancel a payout and release its commissions',
    replies: {
      200: reply('The cancelled payout. A repeated request succeeds too.', itemReply(payoutRow), {
        Cancelled: {
          success: true,
          data: { ...payout, status: 'cancelled', commissions: 0, cancelled_at: AT },
        },
      }),
    },
    errors: ['not_found', 'payout_state'],
  },
};
