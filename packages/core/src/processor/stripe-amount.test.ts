import { expect, test } from 'vitest';
import { toIsoAmount } from './stripe-amount.ts';

test.each([
  [1999, 'usd', 1999],
  [500, 'jpy', 500],
  [5120, 'kwd', 5120],
  [50_000, 'isk', 500],
  [50_000, 'UGX', 500],
  [150, 'isk', 2],
  [500, 'mga', 50_000],
  [0, 'isk', 0],
  [1.5, 'isk', 1.5],
  ['500', 'isk', '500'],
  [500, undefined, 500],
])('%s %s of Stripe are %s in ISO’s smallest unit', (amount, currency, iso) => {
  expect(toIsoAmount(amount, currency)).toBe(iso);
});
