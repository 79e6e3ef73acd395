import { expect, test } from 'vitest';
import { netCentsOf, netSumsOf } from './net-sums.ts';

const commission = { amount_cents: 500, deducted_cents: 0, adjusted_cents: 0, currency: 'USD' };

test.each([
  ['pending', 0, 200, 700],
  ['refunded', 125, -300, 75],
  // For a rejected commission, the API returns the original amount as deducted, although the rejection also deducted
  // the adjustment.
  ['rejected', 500, 200, 0],
  ['rejected', 500, -300, 0],
])('a %s commission of 500 minus %i, adjusted by %i, is worth %i', (status, deducted, adjusted, net) => {
  const row = { ...commission, status, deducted_cents: deducted, adjusted_cents: adjusted };
  expect(netCentsOf(row)).toBe(net);
});

test('sums up the commissions of each currency, without those that were rejected', () => {
  const rejected = { ...commission, status: 'rejected', deducted_cents: 500, adjusted_cents: 200 };
  const pending = { ...commission, status: 'pending' };
  expect(netSumsOf([pending, rejected, pending, { ...pending, currency: 'EUR' }])).toEqual([
    { currency: 'USD', cents: 1000 },
    { currency: 'EUR', cents: 500 },
  ]);
});
