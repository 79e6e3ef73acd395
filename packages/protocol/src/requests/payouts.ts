import { z } from 'zod';
import { currencyCode, freeText, idText, integer, MAX_AMOUNT_CENTS, nameText, rowId } from '../fields.ts';
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

const expectedTotals = z
  .array(
    strictFields({
      currency: currencyCode,
      payouts: integer('payouts of each expected total', 1, Number.MAX_SAFE_INTEGER).describe(
        'Number of payouts.',
      ),
      amount_cents: integer('amount_cents of each expected total', 1, Number.MAX_SAFE_INTEGER).describe(
        'Sum of the payouts, in the smallest unit of the currency.',
      ),
    }),
    { error: 'expected_totals must be a list of {currency, payouts, amount_cents}' },
  )
  .describe(
    'The totals of the preview that you agreed to. If they have changed, no payout is created and the reply is 409. A payout whose amount changes while the payouts are created is left out.',
  )
  .optional();

/** Body of `POST …/payouts`. */
export const createPayoutsRequest = strictFields({ ...payoutOrderFields, expected_totals: expectedTotals });

/** Body of `POST …/payout-runs/:runId/confirm`. */
export const confirmPayoutRunRequest = strictFields({ expected_totals: expectedTotals });

/** A payout is marked as paid only if it has this amount. */
export const expectedAmount = integer('expected_amount_cents', 0, Number.MAX_SAFE_INTEGER)
  .describe(
    'The amount that you have paid. If a refund or a correction has changed the amount of the payout since then, the payout is not marked as paid.',
  )
  .optional();

/** Body of `POST …/payouts/:payoutId/mark-paid`. */
export const markPayoutPaidRequest = strictFields({
  reference: nameText('reference').describe('Your reference for the payment.').optional(),
  expected_amount_cents: expectedAmount,
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
    .describe('A repeated request with the same key does not adjust the commission again.')
    .optional(),
});

export type ConfirmPayoutRunRequest = z.input<typeof confirmPayoutRunRequest>;
export type CreatePayoutsRequest = z.input<typeof createPayoutsRequest>;
export type MarkPayoutPaidRequest = z.input<typeof markPayoutPaidRequest>;
export type AdjustCommissionRequest = z.input<typeof adjustCommissionRequest>;
