import {
  adjustCommissionRequest,
  commissionRow,
  createPayoutsRequest,
  itemReply,
  listReply,
  payoutRow,
  payoutsReply,
  payPayoutRequest,
} from '@affkit/protocol';
import { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { AT, commission, page, payout } from './examples.ts';
import { pageFields } from './queries.ts';

const P = '/api/advertiser/affiliate-programs/:id';

const filterFields = {
  status: payoutRow.shape.status.optional().describe('One status alone.'),
  partner_id: z.int().min(1).optional().describe('One partner alone.'),
};

export const payoutDescriptions: Descriptions = {
  [`GET ${P}/payouts`]: {
    id: 'listPayouts',
    tag: 'Payouts',
    summary: 'List payouts',
    query: z.object({ ...pageFields, ...filterFields }),
    replies: {
      200: reply('A page of payouts, the last made first.', listReply(payoutRow), {
        One: { success: true, data: [payout], meta: page(1) },
      }),
    },
  },
  [`GET ${P}/payouts.csv`]: {
    id: 'exportPayouts',
    tag: 'Payouts',
    summary: 'All payouts as CSV',
    description:
      'RFC 4180, with a header record. A text that a spreadsheet would run as a formula begins with an apostrophe.',
    query: z.object(filterFields),
    replies: {
      200: {
        text: 'The payouts, the last made first.',
        mediaType: 'text/csv',
        examples: { 'The header': 'id,partner_id,partner_name,partner_email,status,currency,amount\r\n' },
      },
    },
  },
  [`POST ${P}/payouts`]: {
    id: 'createPayouts',
    tag: 'Payouts',
    summary: 'Make payouts of all that is payable',
    description:
      'One per partner and currency, less what is clawed back: of the approved partners, or of the named ones whatever their standing. Who is owed less than `min_amount_cents` gets none this time. The answer lists those that were made.',
    body: body('PayoutsRequest', createPayoutsRequest, {
      'From ten dollars on': { min_amount_cents: 1000 },
      'For one partner': { partner_ids: [1] },
    }),
    replies: {
      201: reply('Made.', payoutsReply, { One: { success: true, data: [payout] } }),
    },
  },
  [`POST ${P}/payouts/:payoutId/mark-paid`]: {
    id: 'payPayout',
    tag: 'Payouts',
    summary: 'Mark a payout as paid',
    body: body('PayoutPayment', payPayoutRequest, { 'A bank transfer': { reference: 'SEPA-2026-01' } }),
    replies: {
      200: reply('Paid, now or before.', itemReply(payoutRow), {
        Paid: {
          success: true,
          data: { ...payout, status: 'paid', reference: 'SEPA-2026-01', paid_at: AT },
        },
      }),
    },
    errors: ['not_found', 'payout_state'],
  },
  [`POST ${P}/payouts/:payoutId/cancel`]: {
    id: 'cancelPayout',
    tag: 'Payouts',
    summary: 'Cancel a pending payout: its commissions are payable again',
    replies: {
      200: reply('Cancelled, now or before.', itemReply(payoutRow), {
        Cancelled: {
          success: true,
          data: { ...payout, status: 'cancelled', commission_count: 0, cancelled_at: AT },
        },
      }),
    },
    errors: ['not_found', 'payout_state'],
  },
  [`POST ${P}/commissions/:commissionId/adjust`]: {
    id: 'adjustCommission',
    tag: 'Commissions',
    summary: 'Correct a commission by hand',
    description:
      'Books `amount_cents` on the ledger: negative takes from the partner, at most what is left of the commission. With an `idempotency_key` it is booked once, however often it is sent.',
    body: body('Adjustment', adjustCommissionRequest, {
      'A second partial refund': {
        amount_cents: -100,
        reason: 'Second refund of order-1',
        idempotency_key: 're_2',
      },
    }),
    replies: {
      200: reply('Booked, now or before.', itemReply(commissionRow), {
        Booked: { success: true, data: { ...commission, adjusted_cents: -100 } },
      }),
    },
    errors: ['not_found', 'commission_state', 'conflict'],
  },
};
