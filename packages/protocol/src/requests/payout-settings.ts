import type { z } from 'zod';
import { integer, MAX_AMOUNT_CENTS, nameText } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';
import { bicField, ibanField } from './payout-details.ts';

/** Body of `PUT …/payout-settings`. Absent settings do not change; null removes a setting. */
export const updatePayoutSettingsRequest = strictFields({
  min_payout_cents: integer('min_payout_cents', 1, MAX_AMOUNT_CENTS)
    .nullable()
    .describe(
      "Minimum payout, in the smallest unit of the payout's currency. Smaller amounts wait for a later payout.",
    )
    .optional(),
  schedule_day: integer('schedule_day', 1, 31)
    .nullable()
    .describe(
      'Day of the month, in UTC, on which payouts are proposed to the owners. A shorter month uses its last day.',
    )
    .optional(),
  debtor: strictFields({
    name: nameText('name of debtor', 70).describe('Name of the owner of the account.'),
    iban: ibanField,
    bic: bicField.nullable().describe('BIC of the bank.').optional(),
  })
    .nullable()
    .describe('Your bank account, from which a SEPA file transfers the payouts. Stored encrypted.')
    .optional(),
});

export type UpdatePayoutSettingsRequest = z.input<typeof updatePayoutSettingsRequest>;
