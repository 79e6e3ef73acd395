import { z } from 'zod';
import { freeText, idText, integer, MAX_AMOUNT_CENTS, nameText, rowId } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';

const MAX_EXCLUDED = 1_000;

/** The fields that choose which payouts are created. */
export const payoutOrderFields = {
  partner_ids: z
    .array(rowId('each of partner_ids'), {
      error: 'partner_ids must be a list of partner ids',
    })
    .min(1, { error: 'partner_ids must name at least one partner' })
    .describe('Partners to pay. Defaults to all partners, except rejected and banned partners.')
    .optional(),
  excluded_partner_ids: z
    .array(rowId('each of excluded_partner_ids'), {
      error: 'excluded_partner_ids must be a list of partner ids',
    })
    .max(MAX_EXCLUDED, { error: `excluded_partner_ids must have at most ${MAX_EXCLUDED} entries` })
    .describe(`Partners who get no payout this time, at most ${MAX_EXCLUDED}.`)
    .optional(),
  min_amount_cents: integer('min_amount_cents', 0, MAX_AMOUNT_CENTS)
    .describe(
      'Minimum payout. Partners with a lower payable amount get no payout. Defaults to the minimum of the partner, or else of the program.',
    )
    .optional(),
};

/** Body of `POST …/payouts`. */
export const createPayoutsRequest = strictFields(payoutOrderFields);

/** Body of `POST …/payouts/:payoutId/mark-paid`. */
export const markPayoutPaidRequest = strictFields({
  reference: nameText('reference').describe('Your reference for the payment.').optional(),
});

const CORRECTION_MESSAGE = `amount_cents must be an integer from -${MAX_AMOUNT_CENTS} to ${MAX_AMOUNT_CENTS}, and not 0`;

/** Body of `POST …/commissions/:commissionId/adjust`. */
export const adjustCommissionRequest = strictFields({
  amount_cents: z
    .int({ error: CORRECTION_MESSAGE })
    .min(-MAX_AMOUNT_CENTS, { error: CORRECTION_MESSAGE })
    .max(MAX_AMOUNT_CENTS, { error: CORRECTION_MESSAGE })
    .refine((cents) => cents !== 0, { error: CORRECTION_MESSAGE })
    .describe(
      "Amount to add, in the smallest unit of the currency. A negative amount is subtracted from the partner's balance.",
    ),
  reason: freeText('reason')
    .refine((text) => text.trim() !== '', { error: 'reason is required' })
    .describe('Reason for the adjustment. The partner sees it.'),
  idempotency_key: idText('idempotency_key')
    .describe('A repeated request with the same key does not adjust again.')
    .optional(),
});

export type CreatePayoutsRequest = z.input<typeof createPayoutsRequest>;
export type MarkPayoutPaidRequest = z.input<typeof markPayoutPaidRequest>;
export type AdjustCommissionRequest = z.input<typeof adjustCommissionRequest>;
