import { expect, test } from 'vitest';
import { fromStripeUnits } from './stripe-units.ts';

test.each([
  ['usd', 1999, 1999],
  ['USD', 1999, 1999],
  ['JPY', 500, 500],
  ['KWD', 5120, 5120],
  // Without decimals, but sent with two.
  ['ISK', 500, 5],
  ['ugx', 500, 5],
  // Parts of a króna may stand in payments from before 2023.
  ['ISK', 4050, 41],
  // With two in ISO 4217, but sent without.
  ['MGA', 5, 500],
  // Whole in payouts alone.
  ['HUF', 1045, 1045],
  ['TWD', 80045, 80045],
])('%s %d is %d in the smallest unit', (currency, amount, cents) => {
  expect(fromStripeUnits(amount, currency)).toBe(cents);
});
