import { z } from 'zod';
import { count } from './envelope.ts';

/** The amounts of a partner, except the payable amount and the balance. */
export const partnerAmountFields = {
  pending_cents: z
    .int()
    .describe('Sum of the commissions that wait for an approval or for the end of a dispute.'),
  on_hold_cents: z.int().describe('Sum of the commissions whose hold has not ended.'),
  in_payout_cents: count.describe('Sum of the payouts that are created but not paid yet.'),
  to_deduct_cents: count.describe(
    'Amount by which deductions exceed the payable commissions. It reduces the next payouts.',
  ),
  paid_cents: count.describe('Sum of all paid payouts.'),
};
