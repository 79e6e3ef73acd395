import { expect, test } from 'vitest';
import { fromStripeUnits, toStripeUnits } from './stripe-units.ts';

test.each([
  ['usd', 1999, 1999],
  ['USD', 1999, 1999],
  ['JPY', 500, 500],
  ['KWD', 5120, 5120],
  // ISO 4217 defines no decimals, but Stripe sends two.
  ['ISK', 500, 5],
  ['ugx', 500, 5],
  // Payments from before 2023 may contain fractions of a króna.
  ['ISK', 4050, 41],
  // ISO 4217 defines two decimals, but Stripe sends none.
  ['MGA', 5, 500],
  // Stripe requires amounts without decimals for these currencies in payouts, but not in payments.
  ['HUF', 1045, 1045],
  ['TWD', 80045, 80045],
])('converts %s %d from Stripe to %d in the smallest unit of ISO 4217', (currency, amount, cents) => {
  expect(fromStripeUnits(amount, currency)).toBe(cents);
});

test.each([
  ['USD', 1999, 1999],
  ['JPY', 500, 500],
  ['KWD', 5120, 5120],
  ['ISK', 5, 500],
  ['MGA', 500, 5],
])('converts %s %d to %d in Stripe units', (currency, cents, amount) => {
  expect(toStripeUnits(cents, currency)).toBe(amount);
});

test('toStripeUnits returns a fraction if Stripe cannot represent the amount', () => {
  expect(Number.isInteger(toStripeUnits(505, 'MGA'))).toBe(false);
});
