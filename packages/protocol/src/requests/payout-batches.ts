import { isSEPACountry } from 'ibantools';
import { z } from 'zod';
import { currencyCode, rowId } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';

/** The file formats of payout batches: PayPal Payouts, Wise, SEPA `pain.001.001.09`, and a CSV file of all fields. */
export const PAYOUT_FILE_CHANNELS = ['file:paypal', 'file:wise', 'file:sepa', 'file:csv'] as const;

export type PayoutFileChannel = (typeof PAYOUT_FILE_CHANNELS)[number];

/** The payment services whose APIs can send payouts, if the operator has configured them. */
export const PAYOUT_PROVIDERS = ['paypal', 'stripe'] as const;

export type PayoutProviderName = (typeof PAYOUT_PROVIDERS)[number];

/** The channels of payout batches: the files, and `provider:` with the name of a payment service. */
export const PAYOUT_CHANNELS = [...PAYOUT_FILE_CHANNELS, 'provider:paypal', 'provider:stripe'] as const;

/** Whether the IBAN belongs to a country of the SEPA area. The IBAN must be valid. */
export function isSepaIban(iban: string): boolean {
  return isSEPACountry(iban.slice(0, 2));
}

/** Body of `POST …/payout-batches`. */
export const createPayoutBatchRequest = strictFields({
  channel: z
    .enum(PAYOUT_CHANNELS, { error: `channel must be one of ${PAYOUT_CHANNELS.join(', ')}` })
    .describe(
      'Format of the file, or the payment service that sends the payouts. `file:paypal` pays partners with the method `paypal`, `file:wise` partners with `wise`, `file:sepa` partners with `bank` in EUR, and `file:csv` all partners. With `provider:paypal` and `provider:stripe`, the service sends the payouts immediately. The operator must have configured the provider.',
    ),
  currency: currencyCode.describe('Currency of the batch. A batch has only one.'),
  payout_ids: z
    .array(rowId('each of payout_ids'), { error: 'payout_ids must be a list of payout ids' })
    .min(1, { error: 'payout_ids must name at least one payout' })
    .max(5_000, { error: 'payout_ids must have at most 5000 entries' })
    .transform((ids) => [...new Set(ids)])
    .describe(
      'Payouts to send. Defaults to all pending payouts of the currency that are in no open batch. Payouts below the minimum, and payouts of rejected or banned partners, are sent only if they are named here.',
    )
    .optional(),
});

export type CreatePayoutBatchRequest = z.input<typeof createPayoutBatchRequest>;
