import { z } from 'zod';
import { PAYOUT_CHANNELS } from '../requests/payout-batches.ts';
import { count, createdAt, currency, errorCode, id, partnerId, rowId, time } from './envelope.ts';

const payoutId = rowId.describe('Id of the payout.');

export const payoutBatchRow = z.object({
  id,
  channel: z
    .enum(PAYOUT_CHANNELS)
    .describe('Format of the file, or the payment service that sends the payouts.'),
  currency,
  status: z.enum(['open', 'closed']).describe('`open` while at least one payout has no result.'),
  payouts: count.describe('Number of payouts in the batch.'),
  amount_cents: count.describe('Sum of the payouts, in the smallest unit of the currency.'),
  sent: count.describe('Number of payouts without a result yet.'),
  paid: count.describe('Number of payouts that were paid.'),
  failed: count.describe('Number of payouts that failed, and can be sent again.'),
  cancelled: count.describe('Number of payouts that were released before they were sent.'),
  unsent: count.describe(
    'Number of payouts that were certainly not sent: their file was never downloaded, or they still wait to be sent. `cancel` releases them.',
  ),
  unclear: count.describe(
    'Number of payouts that the payment service may or may not have made. Look them up there, and import their results.',
  ),
  created_at: createdAt,
  downloaded_at: time.nullable().describe('When the file was first downloaded.'),
  closed_at: time.nullable().describe('When the last result became known.'),
});

export const payoutBatchItemRow = z.object({
  payout_id: payoutId,
  partner_id: partnerId,
  partner_name: z.string().describe('Display name of the partner.'),
  status: z
    .enum(['sent', 'paid', 'failed', 'cancelled'])
    .describe('Result of the payout. `sent`: not known yet. `cancelled`: released before it was sent.'),
  amount_cents: count.describe('Amount that was sent, in the smallest unit of the currency.'),
  withheld_cents: count.describe('Refunds since the batch was created. They reduce the next payout.'),
  reference: z.string().nullable().describe('Reference that the payment service gave the payment.'),
  reason: z.string().nullable().describe('Why the payment failed.'),
  transfer_state: z
    .enum(['queued', 'sending', 'accepted', 'unclear', 'done'])
    .nullable()
    .describe(
      'Progress at the payment service. `queued`: not sent yet. `sending`: being sent, or sent again after an unknown outcome. `accepted`: accepted, without a result yet. `unclear`: the outcome is unknown, and you must look it up. `done`: has a result. Null if the payout is sent with a file.',
    ),
  transfer_id: z.string().nullable().describe('Id of the payment at the payment service.'),
  transfer_error: z.string().nullable().describe('Why the latest attempt has no result.'),
  closed_at: time.nullable().describe('When the result became known.'),
});

export const payoutBatchDetailRow = payoutBatchRow.extend({ items: z.array(payoutBatchItemRow) });

/** Reply of `POST …/payout-batches`. */
export const createPayoutBatchReply = z.object({
  success: z.literal(true),
  data: payoutBatchRow
    .nullable()
    .describe('The batch. Null if no payout can be sent. No batch is created in this case.'),
  left_out: z
    .array(
      z.object({
        payout_id: payoutId,
        partner_id: partnerId.nullable(),
        reason: z
          .enum([
            'not_found',
            'not_pending',
            'in_batch',
            'zero_amount',
            'below_minimum',
            'other_currency',
            'no_details',
            'other_method',
            'amount_too_large',
            'unsupported_amount',
            'unsupported_text',
            'partner_excluded',
            'batch_full',
          ])
          .describe('Why the payout is not in the batch.'),
      }),
    )
    .describe('The payouts that are not in the batch, at most 5,000.'),
  left_out_total: count.describe(
    'Number of all payouts that are not in the batch, including those that `left_out` does not list.',
  ),
});

const resultLine = rowId.describe('Line of the file on which the row ends, starting at 1.');

/** Reply of `POST …/payout-batches/:batchId/import`. The status is 200 even if no row could be applied. */
export const importPayoutResultsReply = z.object({
  success: z.literal(true),
  data: z
    .array(
      z.discriminatedUnion('ok', [
        z.object({
          line: resultLine,
          ok: z.literal(true),
          payout_id: payoutId,
          status: z
            .enum(['paid', 'failed', 'sent'])
            .describe('`sent`: the payment service has no result yet.'),
          is_changed: z
            .boolean()
            .describe('Whether the row changes the payout. A repeated import changes nothing.'),
        }),
        z.object({
          line: resultLine,
          ok: z.literal(false),
          code: errorCode.describe('Stable code of the error. The row was not applied.'),
          error: z.string().describe('Error message, with what to do.'),
        }),
      ]),
    )
    .describe('One result per row of the file, in its order.'),
  meta: z.object({
    dry_run: z.boolean().describe('Whether the file was only checked, and nothing was stored.'),
    paid: count.describe('Number of payouts that became paid.'),
    failed: count.describe('Number of payouts that failed, and can be sent again.'),
    unchanged: count.describe('Number of rows without a new result.'),
    rejected: count.describe('Number of rows that were not applied.'),
  }),
});

/** Reply of `POST /api/v1/webhooks/payouts/…`. */
export const payoutWebhookReply = z.object({
  success: z.literal(true),
  received: z.literal(true),
  payouts: count.describe('Number of payouts of this service that the event is about.'),
});
