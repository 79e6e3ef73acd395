import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRejection } from '../rejection.ts';
import { computeClamp, computeDeduction, computeNewRefund, computeOpenCents } from './refund.ts';

const commission = (amount_cents: number, adjusted_cents = 0) => ({
  amount_cents,
  adjusted_cents,
  deducted_cents: 0,
});

test('a full refund deducts the whole commission', () => {
  expect(computeDeduction(commission(250), 1999, 0)).toEqual({ status: 'reversed', deductionCents: 250 });
});

test('a partial refund deducts its share, rounded half up', () => {
  expect(computeDeduction(commission(250), 1999, 999)).toEqual({ status: 'refunded', deductionCents: 125 });
  expect(computeDeduction(commission(1), 2, 1)).toEqual({ status: 'refunded', deductionCents: 1 });
});

test('a full-amount refund deducts a flat commission once, even if it exceeds the sale', () => {
  expect(computeDeduction(commission(500), 100, 100)).toEqual({ status: 'refunded', deductionCents: 500 });
});

test('a refund does not deduct what an adjustment already took, and keeps what one added', () => {
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

test('rejects a refund that exceeds the sale', () => {
  const outcome = computeDeduction(commission(250), 1999, 2000);
  expect(isRejection(outcome) && outcome.code).toBe('refund_exceeds_sale');
});

test('clamps the balance at zero, except for a paid commission or a negative balance', () => {
  expect(computeClamp(50, 150, false)).toBe(100);
  expect(computeClamp(150, 150, false)).toBe(0);
  expect(computeClamp(50, 150, true)).toBe(0);
  expect(computeClamp(-1, 150, false)).toBe(0);
});

test('the balance after the clamp is zero or lower by the full deduction', () => {
  const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(cents, fc.integer({ min: 0, max: 1_000_000 }), fc.boolean(), (before, deduction, paid) => {
      const after = before - deduction + computeClamp(before, deduction, paid);
      expect(after).toBe(!paid && before >= 0 ? Math.max(0, before - deduction) : before - deduction);
    }),
  );
});

describe('computeNewRefund', () => {
  const sale = { amountCents: 1000, currency: 'USD' };
  const cents = fc.integer({ min: 0, max: 3000 });

  test('returns parts with the same sum in any order of the totals', () => {
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1 }), (totals) => {
        let applied = 0;
        let refunded = 0;
        for (const refundedCents of totals) {
          const refund = computeNewRefund({ refundedCents, isWhole: false, currency: 'USD' }, applied, sale);
          if (refund.kind === 'refund') refunded += refund.newCents;
          applied = Math.max(applied, refundedCents);
        }
        expect(refunded).toBe(Math.max(...totals));
      }),
    );
  });

  test('never exceeds the sale', () => {
    fc.assert(
      fc.property(cents, cents, fc.boolean(), (refundedCents, applied, isWhole) => {
        const refund = computeNewRefund({ refundedCents, isWhole, currency: 'USD' }, applied, sale);
        expect(refund.kind).toBe(refundedCents > applied ? 'refund' : 'none');
        if (refund.kind === 'refund') expect(refund.amountCents).toBeLessThanOrEqual(sale.amountCents);
      }),
    );
  });

  test.each([
    [1000, true, 0, 0],
    [1000, false, 0, 1000],
    [1001, false, 0, 0],
    [1000, true, 400, 600],
    [2400, true, 400, 0],
  ])(
    'a total of %d (whole: %s) after %d refunds %d of the sale',
    (refundedCents, isWhole, applied, amountCents) => {
      const refund = computeNewRefund({ refundedCents, isWhole, currency: 'USD' }, applied, sale);
      expect(refund).toEqual({ kind: 'refund', amountCents, newCents: refundedCents - applied });
    },
  );

  test('applies a refund in another currency only when the whole charge is refunded', () => {
    const charge = { refundedCents: 900, currency: 'EUR' };
    expect(computeNewRefund({ ...charge, isWhole: true }, 0, sale)).toMatchObject({ amountCents: 0 });
    expect(computeNewRefund({ ...charge, isWhole: false }, 0, sale)).toEqual({
      kind: 'incomparable',
      newCents: 900,
    });
    expect(computeNewRefund({ ...charge, isWhole: true }, 300, sale)).toMatchObject({ amountCents: 0 });
  });
});
