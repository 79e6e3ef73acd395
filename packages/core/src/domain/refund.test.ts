import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRejection } from '../rejection.ts';
import { computeClamp, computeDeduction, computeNewRefund, computeOpenCents } from './refund.ts';

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

describe('what is new of a charge', () => {
  const sale = { amountCents: 1000, currency: 'USD' };
  const cents = fc.integer({ min: 0, max: 3000 });

  test('comes to the same in all, in any order of its sums', () => {
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1 }), (sums) => {
        let told = 0;
        let taken = 0;
        for (const refundedCents of sums) {
          const news = computeNewRefund({ refundedCents, isWhole: false, currency: 'USD' }, told, sale);
          if (news.kind === 'refund') taken += news.newCents;
          told = Math.max(told, refundedCents);
        }
        expect(taken).toBe(Math.max(...sums));
      }),
    );
  });

  test('is never more than the sale can take', () => {
    fc.assert(
      fc.property(cents, cents, fc.boolean(), (refundedCents, told, isWhole) => {
        const news = computeNewRefund({ refundedCents, isWhole, currency: 'USD' }, told, sale);
        expect(news.kind).toBe(refundedCents > told ? 'refund' : 'none');
        if (news.kind === 'refund') expect(news.amountCents).toBeLessThanOrEqual(sale.amountCents);
      }),
    );
  });

  test.each([
    [1000, true, 0, 0],
    [1000, false, 0, 1000],
    [1001, false, 0, 0],
    [1000, true, 400, 600],
    [2400, true, 400, 0],
  ])('of %d (whole: %s), %d told before, is %d of the sale', (refundedCents, isWhole, told, amountCents) => {
    const news = computeNewRefund({ refundedCents, isWhole, currency: 'USD' }, told, sale);
    expect(news).toEqual({ kind: 'refund', amountCents, newCents: refundedCents - told });
  });

  test('in another currency counts once it is all of the charge', () => {
    const charge = { refundedCents: 900, currency: 'EUR' };
    expect(computeNewRefund({ ...charge, isWhole: true }, 0, sale)).toMatchObject({ amountCents: 0 });
    expect(computeNewRefund({ ...charge, isWhole: false }, 0, sale)).toEqual({
      kind: 'incomparable',
      newCents: 900,
    });
    expect(computeNewRefund({ ...charge, isWhole: true }, 300, sale)).toMatchObject({ amountCents: 0 });
  });
});
