import { z } from 'zod';
import { PAYOUT_PROVIDERS } from '../requests/payout-batches.ts';
import { count, createdAt, currency, id, time } from './envelope.ts';
import { payoutRow } from './management.ts';

/** The settings with which a program pays its partners. */
export const payoutSettingsRow = z.object({
  min_payout_cents: count
    .nullable()
    .describe("Minimum payout, in the smallest unit of the payout's currency."),
  schedule_day: z.int().min(1).max(31).nullable().describe('Day of the month on which payouts are proposed.'),
  debtor: z
    .object({
      name: z.string().describe('Name of the owner of the account.'),
      iban_masked: z.string().describe('The account, such as `DE89…3000`.'),
      bic: z.string().nullable().describe('BIC of the bank.'),
    })
    .nullable()
    .describe('Your bank account, from which a SEPA file transfers the payouts.'),
  providers: z
    .array(z.enum(PAYOUT_PROVIDERS))
    .describe('Payment services that can send payouts of this program, as the operator has configured them.'),
});

/** Payouts that the schedule has proposed. */
export const payoutRunRow = z.object({
  id,
  month: z.string().describe('Month, as `YYYY-MM` in UTC.'),
  status: z
    .enum(['proposed', 'confirmed', 'dismissed', 'empty'])
    .describe(
      '`proposed`: waits for the decision of an owner. `empty`: nothing was payable when the schedule ran.',
    ),
  totals: z
    .array(z.object({ currency, payouts: count, amount_cents: count }))
    .describe(
      'Amounts that were payable when the payouts were proposed. When an owner confirms, the payouts contain the amounts that are payable at that time.',
    ),
  created_at: createdAt,
  decided_at: time.nullable().describe('When an owner decided.'),
});

/** Reply of `POST …/payout-runs/:runId/confirm`. */
export const confirmPayoutRunReply = z.object({
  success: z.literal(true),
  data: payoutRunRow,
  payouts: z.array(payoutRow).describe('The payouts that were created. Empty for a repeated request.'),
});
