import { expect, test } from 'vitest';
import { toPayoutDetails } from '../domain/payout-details.ts';
import { createStripeProvider } from './stripe.ts';

test.each([
  ['KWD', 1_230, null],
  ['KWD', 1_234, 'unsupported_amount'],
  ['BHD', 5, 'unsupported_amount'],
  ['TND', 10, null],
  ['MGA', 505, 'unsupported_amount'],
  ['USD', 1_234, null],
  ['JPY', 1_234, null],
] as const)('for the currency %s and %i minor units, check returns %s', (currency, amountCents, reason) => {
  const details = toPayoutDetails({ method: 'stripe', stripe_account_id: 'acct_1032D82eZvKYlo2C' });
  const payout = { reference: 'P1-1', programName: 'Shop', currency, amountCents, details };
  expect(createStripeProvider({ secretKey: 'sk_test_1' }).check(payout)).toBe(reason);
});
