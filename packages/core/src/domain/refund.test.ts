import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRejection } from '../rejection.ts';
import { computeClamp, computeDeduction, computeOpenCents } from './refund.ts';

const commission = (amount_cents: number, adjusted_cents = 0) => ({
  amount_cents,
  adjusted_cents,
  deducted_cents: 0,
});

test('a full refund takes the whole commission', () => {
  expect(computeDeduction(commission(250), 1999, 0)).toEqual({ status: 'reversed', deductionCents: 250 });
});

test('a partial refund takes its share, rounded half up', () => {
  expect(computeDeduction(commission(250), 1999, 999)).toEqual({ status: 'refunded', deductionCents: 125 });
  expect(computeDeduction(commission(1), 2, 1)).toEqual({ status: 'refunded', deductionCents: 1 });
});

test('a flat commission above the sale is never deducted twice over', () => {
  expect(computeDeduction(commission(500), 100, 100)).toEqual({ status: 'refunded', deductionCents: 500 });
});

test('what a correction took is not taken again, and what one gave on top stays', () => {
  expect(computeDeduction(commission(250, -100), 1999, 0)).toEqual({
    status: 'reversed',
    deductionCents: 150,
  });
  expect(computeDeduction(commission(250, -200), 1999, 999)).toEqual({
    status: 'refunded',
    deductionCents: 50,
  });
  expect(computeDeduction(commission(250, 100), 1999, 0)).toEqual({
    status: 'reversed',
    deductionCents: 250,
  });
  expect(computeOpenCents({ amount_cents: 250, deducted_cents: 250, adjusted_cents: 100 })).toBe(100);
});

test('a refund above the sale is refused', () => {
  const outcome = computeDeduction(commission(250), 1999, 2000);
  expect(isRejection(outcome) && outcome.code).toBe('refund_exceeds_sale');
});

test('a balance of an unpaid commission stops at zero, a paid or negative one does not', () => {
  expect(computeClamp(50, 150, false)).toBe(100);
  expect(computeClamp(150, 150, false)).toBe(0);
  expect(computeClamp(50, 150, true)).toBe(0);
  expect(computeClamp(-1, 150, false)).toBe(0);
});

test('after a clamp the balance is exactly zero, else the full deduction shows', () => {
  const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(cents, fc.integer({ min: 0, max: 1_000_000 }), fc.boolean(), (before, deduction, paid) => {
      const after = before - deduction + computeClamp(before, deduction, paid);
      expect(after).toBe(!paid && before >= 0 ? Math.max(0, before - deduction) : before - deduction);
    }),
  );
});
