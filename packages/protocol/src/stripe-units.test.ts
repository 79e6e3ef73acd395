import { expect, test } from 'vitest';
import { fromStripeUnits } from './stripe-units.ts';

test.each([
  ['usd', 1999, 1999],
  ['USD', 1999, 1999],
  ['JPY', 500, 500],
  ['KWD', 5120, 5120],
  // No decimals in ISO 4217, but Stripe sends two.
  ['ISK', 500, 5],
  ['ugx', 500, 5],
  // Payments before 2023 may contain fractions of a króna.
  ['ISK', 4050, 41],
  // Two decimals in ISO 4217, but Stripe sends none.
  ['MGA', 5, 500],
  // Stripe requires amounts without decimals only in payouts.
  ['HUF', 1045, 1045],
  ['TWD', 80045, 80045],
])('converts %s %d to %d in the smallest unit', (currency, amount, cents) => {
  expect(fromStripeUnits(amount, currency)).toBe(cents);
});
