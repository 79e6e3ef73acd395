import { createdReply, itemReply, listReply, payoutRow } from '@affkit/protocol';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination, examplePayout } from './examples.ts';

const DESCRIBED_PAYOUTS_PATH = '/api/advertiser/affiliate-programs/:id/payouts';

const examplePaidPayout = {
  ...examplePayout,
  status: 'paid' as const,
  reference: 'SEPA 2026-01',
  paid_at: EXAMPLE_TIME,
};

export const payoutDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PAYOUTS_PATH}`]: {
    id: 'listPayouts',
    tag: 'Payouts',
    summary: 'List payouts',
    description: '`dateFrom` and `dateTo` limit `created_at`.',
    replies: {
      200: reply('A page of payouts.', listReply(payoutRow), {
        One: { success: true, data: [examplePayout], meta: examplePagination(1) },
      }),
    },
  },
  [`POST ${DESCRIBED_PAYOUTS_PATH}`]: {
    id: 'createPayouts',
    tag: 'Payouts',
    summary: 'Create payouts of all payable amounts',
    description:
      'Creates one payout for each partner and currency. Its amount is everything that is payable to the partner, minus clawbacks (deductions from commissions that were already paid). If this amount is below the minimum, no payout is created, and a later payout can include it. Rejected or banned partners are paid only if `partner_ids` contains them.',
    body: body('PayoutOrder', {
      'All partners': { min_amount_cents: 2000 },
      'One partner': { partner_ids: [1] },
      'What was previewed': { expected_totals: [{ currency: 'USD', payouts: 1, amount_cents: 3000 }] },
    }),
    replies: {
      201: reply('The new payouts, if any.', createdReply(payoutRow), {
        One: { success: true, data: [examplePayout] },
      }),
    },
    errors: ['conflict'],
  },
  [`GET ${DESCRIBED_PAYOUTS_PATH}/:payoutId`]: {
    id: 'readPayout',
    tag: 'Payouts',
    summary: 'Get a payout',
    replies: {
      200: reply('The payout.', itemReply(payoutRow), { One: { success: true, data: examplePayout } }),
    },
    errors: ['not_found'],
  },
  [`POST ${DESCRIBED_PAYOUTS_PATH}/:payoutId/mark-paid`]: {
    id: 'markPayoutPaid',
    tag: 'Payouts',
    summary: 'Mark a payout as paid',
    description: 'The `reference` of a paid payout cannot be changed.',
    body: body('PayoutPayment', {
      'By transfer': { reference: 'SEPA 2026-01' },
      'Only this amount': { reference: 'SEPA 2026-01', expected_amount_cents: 3000 },
    }),
    replies: {
      200: reply('The paid payout. A repeated request succeeds too.', itemReply(payoutRow), {
        Paid: { success: true, data: examplePaidPayout },
      }),
    },
    errors: ['not_found', 'payout_state', 'payout_in_flight', 'conflict'],
  },
  [`POST ${DESCRIBED_PAYOUTS_PATH}/:payoutId/cancel`]: {
    id: 'cancelPayout',
    tag: 'Payouts',
    summary: 'Cancel a payout and release its commissions',
    replies: {
      200: reply('The cancelled payout. A repeated request succeeds too.', itemReply(payoutRow), {
        Cancelled: {
          success: true,
          data: { ...examplePayout, status: 'cancelled', commissions: 0, cancelled_at: EXAMPLE_TIME },
        },
      }),
    },
    errors: ['not_found', 'payout_state', 'payout_in_flight'],
  },
};
