import { itemReply, listReply, madeReply, payoutRow } from '@affkit/protocol';
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
    summary: 'Make payouts of all that is payable',
    description:
      'One for each partner and currency, less clawbacks. Where that is less than the minimum none is made, and a later one takes it. Partners that are rejected or banned are paid only where they are named.',
    body: body('PayoutOrder', {
      'All partners': { min_amount_cents: 2000 },
      'One partner': { partner_ids: [1] },
    }),
    replies: {
      201: reply('The payouts made, which may be none.', madeReply(payoutRow), {
        One: { success: true, data: [payout] },
      }),
    },
  },
  [`POST ${P}/:payoutId/mark-paid`]: {
    id: 'markPayoutPaid',
    tag: 'Payouts',
    summary: 'Book a payout as paid',
    description: 'Once it is paid, its `reference` stays.',
    body: body('PayoutPayment', { 'By transfer': { reference: 'SEPA 2026-01' } }),
    replies: {
      200: reply('Paid, now or before.', itemReply(payoutRow), { Paid: { success: true, data: paid } }),
    },
    errors: ['not_found', 'payout_state'],
  },
  [`POST ${P}/:payoutId/cancel`]: {
    id: 'cancelPayout',
    tag: 'Payouts',
    summary: 'Cancel a payout: its commissions are free for another',
    replies: {
      200: reply('Cancelled, now or before.', itemReply(payoutRow), {
        Cancelled: {
          success: true,
          data: { ...payout, status: 'cancelled', commissions: 0, cancelled_at: AT },
        },
      }),
    },
    errors: ['not_found', 'payout_state'],
  },
  [`GET ${P}.csv`]: {
    id: 'exportPayouts',
    tag: 'Payouts',
    summary: 'All payouts as a CSV file',
    description:
      "By RFC 4180; a text that begins with `=`, `+`, `-`, `@`, tab or CR gets a leading `'`, and such a character behind a `;` too.",
    replies: {
      200: {
        text: 'The file.',
        mediaType: 'text/csv',
        examples: { 'Its beginning': 'id,partner_id,partner_name\r\n' },
      },
    },
  },
};
