import { expect, test } from 'vitest';
import { differenceOf } from '#messages/portal-payouts.tsx';
import type { CommissionTotal, PortalCommission } from '../../api/types.ts';
import { receiptRest } from './receipt-lines.ts';

const LISTED = [
  { amount_cents: 500, deducted_cents: 100, adjusted_cents: 0 },
  { amount_cents: 300, deducted_cents: 0, adjusted_cents: 50 },
] as PortalCommission[];
const TOTALS = [
  { count: 4, amount_cents: 1500, deducted_cents: 100, adjusted_cents: 50 },
  { count: 1, amount_cents: 200, deducted_cents: 200, adjusted_cents: 0 },
] as CommissionTotal[];

test.each([
  [1450, 0],
  [1400, -50],
  [1500, 50],
])('the lines of a receipt of %i add up, with a difference of %i', (amount, difference) => {
  const { count, cents, differenceCents } = receiptRest(amount, LISTED, TOTALS);
  expect({ count, differenceCents }).toEqual({ count: 3, differenceCents: difference });
  expect(400 + 350 + cents + differenceCents).toBe(amount);
});

test('a payout that only corrects an earlier commission is not shown as taken back', () => {
  const { count, differenceCents } = receiptRest(500, [], []);
  expect({ count, differenceCents }).toEqual({ count: 0, differenceCents: 500 });
  expect(differenceOf(differenceCents)).toBe('Additions before this payout, or deductions after it');
});

test('an amount that is added to a commission after its payout is not shown as a deduction', () => {
  const corrected = [{ amount_cents: 1000, deducted_cents: 0, adjusted_cents: 500 }] as PortalCommission[];
  const totals = [{ ...corrected[0], count: 1 }] as CommissionTotal[];
  const { differenceCents } = receiptRest(1000, corrected, totals);
  expect(differenceCents).toBe(-500);
  expect(differenceOf(differenceCents)).toBe('Deductions before this payout, or additions after it');
});
