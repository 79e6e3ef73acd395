import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addUtcMonths, DAY_MS } from './calendar.ts';
import {
  choosePolicy,
  computeCommission,
  isInWindow,
  isRenewalEarning,
  type PolicyCandidate,
} from './commission.ts';

const percent: PolicyCandidate = {
  versionId: 1,
  type: 'percent',
  rateBps: 2000,
  amountCents: null,
  recurringMonths: null,
  productId: null,
  partnerId: null,
};

describe('choosePolicy returns the most specific policy', () => {
  const standard = percent;
  const ofPartner = { ...percent, versionId: 2, partnerId: 7 };
  const ofProduct = { ...percent, versionId: 3, productId: 'pro' };
  const ofBoth = { ...percent, versionId: 4, productId: 'pro', partnerId: 7 };
  const all = [standard, ofPartner, ofProduct, ofBoth];

  test.each([
    ['pro', 7, ofBoth],
    ['pro', 8, ofProduct],
    ['basic', 7, ofPartner],
    [null, 7, ofPartner],
    [null, 8, standard],
  ])('for product %s and partner %i', (productId, partnerId, expected) => {
    expect(choosePolicy(all, productId, partnerId)).toEqual(expected);
    expect(choosePolicy([...all].reverse(), productId, partnerId)).toEqual(expected);
  });

  test('returns null when no policy matches and there is no default', () => {
    expect(choosePolicy([ofPartner, ofProduct], 'basic', 8)).toBeNull();
  });
});

test("a percent commission has the sale's currency, and a flat commission has the program's currency", () => {
  const sale = { amountCents: 1999, currency: 'EUR' };
  expect(computeCommission({ ...percent, rateBps: 1250 }, sale, 'USD')).toEqual({
    amountCents: 250,
    currency: 'EUR',
  });
  expect(
    computeCommission({ ...percent, type: 'flat', rateBps: null, amountCents: 500 }, sale, 'USD'),
  ).toEqual({
    amountCents: 500,
    currency: 'USD',
  });
});

test('a percent commission never exceeds the sale', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 999_999_999_999 }),
      fc.integer({ min: 0, max: 10_000 }),
      (amount, rateBps) => {
        const { amountCents } = computeCommission(
          { ...percent, rateBps },
          { amountCents: amount, currency: 'USD' },
          'USD',
        );
        expect(amountCents).toBeGreaterThanOrEqual(0);
        expect(amountCents).toBeLessThanOrEqual(amount);
      },
    ),
  );
});

test('isInWindow includes the last millisecond of the window and excludes the next', () => {
  const click = Date.UTC(2026, 0, 1);
  expect(isInWindow(click + 60 * DAY_MS, click, 60)).toBe(true);
  expect(isInWindow(click + 60 * DAY_MS + 1, click, 60)).toBe(false);
});

describe('the recurring period', () => {
  const first = Date.UTC(2026, 0, 31, 12);

  test('a period that starts on the 31st ends on the last day of its final month if that month is shorter', () => {
    expect(new Date(addUtcMonths(first, 1)).toISOString()).toBe('2026-02-28T12:00:00.000Z');
    expect(new Date(addUtcMonths(Date.UTC(2028, 0, 31), 1)).toISOString()).toBe('2028-02-29T00:00:00.000Z');
    expect(new Date(addUtcMonths(first, 12)).toISOString()).toBe('2027-01-31T12:00:00.000Z');
  });

  test.each([
    ['2026-02-28T23:59:59.999Z', 1, true],
    ['2026-03-01T00:00:00.000Z', 1, false],
    ['2036-01-01T00:00:00.000Z', null, true],
    ['2026-01-31T12:00:00.000Z', 0, false],
  ])('a renewal at %s with %s recurring months earns a commission: %s', (saleAt, months, earns) => {
    expect(isRenewalEarning(Date.parse(saleAt), first, months)).toBe(earns);
  });
});
