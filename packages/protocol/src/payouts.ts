import { z } from 'zod';
import { freeText, idText, MAX_AMOUNT_CENTS, nameText, rowId, wholeNumber } from './fields.ts';

/** Body of `POST …/payouts`. Without `partner_ids` it pays every partner that is neither rejected nor banned. */
export const createPayoutsRequest = z.object({
  partner_ids: z
    .array(rowId('each of partner_ids'), {
      error: 'partner_ids must be a list of partner ids',
    })
    .min(1, { error: 'partner_ids must name at least one partner' })
    .optional(),
  min_amount_cents: wholeNumber('min_amount_cents', 0, MAX_AMOUNT_CENTS).optional(),
});

/** Body of `POST …/payouts/:payoutId/mark-paid`. */
export const markPayoutPaidRequest = z.object({ reference: nameText('reference').optional() });

const correction = `amount_cents must be an integer from -${MAX_AMOUNT_CENTS} to ${MAX_AMOUNT_CENTS}, and not 0`;

/** Body of `POST …/commissions/:commissionId/adjust`; a negative amount is taken from the partner. */
export const adjustCommissionRequest = z.object({
  amount_cents: z
    .int({ error: correction })
    .min(-MAX_AMOUNT_CENTS, { error: correction })
    .max(MAX_AMOUNT_CENTS, { error: correction })
    .refine((cents) => cents !== 0, { error: correction }),
  reason: freeText('reason').refine((text) => text.trim() !== '', { error: 'reason is required' }),
  idempotency_key: idText('idempotency_key').optional(),
});

export type CreatePayoutsRequest = z.input<typeof createPayoutsRequest>;
export type MarkPayoutPaidRequest = z.input<typeof markPayoutPaidRequest>;
export type AdjustCommissionRequest = z.input<typeof adjustCommissionRequest>;
