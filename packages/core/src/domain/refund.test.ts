import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeClampCents,
  computeDeductedCents,
  computeOpenCents,
  computeRefundedCents,
  type NamedRefund,
  type ReportedRefunds,
} from './refund.ts';

const commission = (amount_cents: number, adjusted_cents = 0) => ({
  amount_cents,
  adjusted_cents,
  deducted_cents: 0,
});

test('a full refund deducts the whole commission', () => {
  expect(computeDeductedCents(commission(250), 1999, 1999)).toBe(250);
});

test('a partial refund deducts its share, rounded half up', () => {
  expect(computeDeductedCents(commission(250), 1999, 999)).toBe(125);
  expect(computeDeductedCents(commission(1), 2, 1)).toBe(1);
});

test('a refund does not deduct what an adjustment has already deducted, or what an adjustment has added', () => {
  expect(computeDeductedCents(commission(250, -100), 1999, 1999)).toBe(150);
  expect(computeDeductedCents(commission(250, -200), 1999, 999)).toBe(50);
  expect(computeDeductedCents(commission(250, 100), 1999, 1999)).toBe(250);
  expect(computeOpenCents({ amount_cents: 250, deducted_cents: 250, adjusted_cents: 100 })).toBe(100);
});

test('refunds that add up to the sale deduct exactly the commission, each within a cent of its share', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(parts, fc.nat({ max: 1_000_000 }), (refunds, commissionCents) => {
      const saleCents = refunds.reduce((sum, cents) => sum + cents, 0);
      let [refunded, deducted] = [0, 0];
      for (const cents of refunds) {
        refunded += cents;
        const target = computeDeductedCents(commission(commissionCents), saleCents, refunded);
        expect(Math.abs(target - deducted - (commissionCents * cents) / saleCents)).toBeLessThanOrEqual(1);
        deducted = target;
      }
      expect(deducted).toBe(commissionCents);
    }),
  );
});

test('keeps the balance at zero or above, unless the commission is paid or the balance is already negative', () => {
  expect(computeClampCents(50, 150, false)).toBe(100);
  expect(computeClampCents(150, 150, false)).toBe(0);
  expect(computeClampCents(50, 150, true)).toBe(0);
  expect(computeClampCents(-1, 150, false)).toBe(0);
});

test('subtracts the whole deduction, or stops at zero if the balance must not become negative', () => {
  const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(cents, fc.integer({ min: 0, max: 1_000_000 }), fc.boolean(), (before, deduction, paid) => {
      const after = before - deduction + computeClampCents(before, deduction, paid);
      expect(after).toBe(!paid && before >= 0 ? Math.max(0, before - deduction) : before - deduction);
    }),
  );
});

describe('computeRefundedCents', () => {
  const none: ReportedRefunds = { unnamedCents: 0, named: [], chargesCents: 0, processed: [] };
  const refund = (refundId: string, amountCents: number): NamedRefund => ({ refundId, amountCents });
  const processed = (refundId: string, amountCents: number, isFailed = false) => ({
    ...refund(refundId, amountCents),
    isFailed,
  });

  test.each<[string, Partial<ReportedRefunds>, number]>([
    ['a refund without an id', { unnamedCents: 500 }, 500],
    [
      'a refund without an id, followed by one with an id',
      { unnamedCents: 500, named: [refund('r2', 300)] },
      800,
    ],
    [
      'a refund without an id, and the refunded total of a charge, which includes this refund',
      { unnamedCents: 500, chargesCents: 700 },
      700,
    ],
    [
      'the same refund from an event and in the refunded total of a charge',
      { chargesCents: 500, processed: [processed('re_1', 500)] },
      500,
    ],
    [
      'the same refund from the API and from an event',
      { named: [refund('re_1', 500)], processed: [processed('re_1', 500)] },
      500,
    ],
    [
      'different refunds from the API and from an event',
      { named: [refund('re_1', 500)], processed: [processed('re_2', 300)] },
      800,
    ],
    [
      'the same refund from the API and in the refunded total of a charge',
      { named: [refund('re_1', 500)], chargesCents: 500 },
      500,
    ],
    [
      "a refund with an id that is not Stripe's, and the refunded total of a charge",
      { named: [refund('cash-1', 500)], chargesCents: 500 },
      1000,
    ],
    [
      'a refund that replaces a failed one',
      { chargesCents: 500, processed: [processed('re_1', 500, true), processed('re_2', 500)] },
      500,
    ],
  ])('counts each refund once: %s', (_name, reported, cents) => {
    expect(computeRefundedCents({ ...none, ...reported })).toBe(cents);
  });

  test.each([
    ['a failed refund', { chargesCents: 500, processed: [processed('re_1', 500, true)] }],
    [
      'a failed refund that was also reported through the API',
      { named: [refund('re_1', 500)], processed: [processed('re_1', 500, true)] },
    ],
  ])('does not count %s', (_name, reported) => {
    expect(computeRefundedCents({ ...none, ...reported })).toBe(0);
  });
});
