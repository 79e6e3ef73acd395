import { expect, test } from 'vitest';
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
