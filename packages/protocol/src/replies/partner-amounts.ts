import { z } from 'zod';
import { count } from './envelope.ts';

/** What a partner is owed in addition to the payable amount, and was paid. */
export const partnerAmountFields = {
  pending_cents: z.int().describe('Commissions that wait for an approval or for the end of a dispute.'),
  on_hold_cents: z.int().describe('Commissions whose hold has not ended.'),
  in_payout_cents: count.describe('Payouts that are created but not paid yet.'),
  paid_cents: count.describe('All paid payouts.'),
};
