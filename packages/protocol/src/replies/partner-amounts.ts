import { z } from 'zod';
import { count } from './envelope.ts';

/** The amounts of a partner, except the payable amount and the balance. */
export const partnerAmountFields = {
  pending_cents: z.int().describe('Commissions that wait for an approval or for the end of a dispute.'),
  on_hold_cents: z.int().describe('Commissions whose hold has not ended.'),
  in_payout_cents: count.describe('Payouts that are created but not paid yet.'),
  to_deduct_cents: count.describe(
    'Deductions for which no amount was payable. They reduce the next payable amounts.',
  ),
  paid_cents: count.describe('All paid payouts.'),
};
