import { z } from 'zod';
import { amount, count, currency, email, errorCode, partnerId, rowId } from './envelope.ts';

const ROW_STATUSES = [
  'pending',
  'approved',
  'rejected',
  'banned',
  'paid',
  'reversed',
  'refunded',
] as const satisfies readonly string[];

/** The result for one row of a bulk request. */
export const bulkResultRow = z.discriminatedUnion('ok', [
  z.object({
    id: rowId.describe('Row id.'),
    ok: z.literal(true),
    status: z.enum(ROW_STATUSES).describe('Status after the change.'),
  }),
  z.object({
    id: rowId.describe('Row id.'),
    ok: z.literal(false),
    code: errorCode.describe('Stable code of the error. The row was not changed.'),
    error: z.string().describe('Error message.'),
  }),
]);

/** Reply to a bulk request. The status is 200 even if no row could be changed. */
export const bulkReply = z.object({
  success: z.literal(true),
  data: z.array(bulkResultRow).describe('One result per row, in the order of the request.'),
  meta: z.object({
    succeeded: count.describe('Number of rows that now have the requested status.'),
    failed: count.describe('Number of rows that were not changed.'),
  }),
});

/** Reply of `POST …/payouts/preview`. */
export const payoutPreviewReply = z.object({
  success: z.literal(true),
  data: z.array(
    z.object({
      partner_id: partnerId,
      partner_name: z.string().describe('Display name of the partner.'),
      partner_email: email,
      currency,
      amount_cents: amount,
    }),
  ),
  meta: z.object({
    totals: z
      .array(z.object({ currency, payouts: count, amount_cents: amount }))
      .describe('Sums by currency.'),
  }),
});
