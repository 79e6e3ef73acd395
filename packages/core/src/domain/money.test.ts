import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMoney, proportion, toMajorUnits } from './money.ts';

const amount = fc.integer({ min: 0, max: 999_999_999_999 });

test('proportion rounds half up', () => {
  expect([
    proportion(1, 1, 2),
    proportion(3, 1, 2),
    proportion(1, 49, 100),
    proportion(1999, 1250, 10_000),
  ]).toEqual([1, 2, 0, 250]);
});

test('proportion is within half a unit of the exact value, even for very large amounts', () => {
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 1, max: 999_999_999_999 }), (value, part, whole) => {
      fc.pre(part <= whole);
      const rounded = BigInt(proportion(value, part, whole));
      const twiceError = 2n * (rounded * BigInt(whole) - BigInt(value) * BigInt(part));
      // With rounding half up, the error is greater than -1/2 and at most 1/2.
      expect(twiceError > -BigInt(whole) && twiceError <= BigInt(whole)).toBe(true);
    }),
  );
});

test('proportion returns the amount itself when the part equals the whole', () => {
  fc.assert(
    fc.property(amount, fc.integer({ min: 1, max: 999_999_999_999 }), (value, whole) => {
      expect(proportion(value, whole, whole)).toBe(value);
    }),
  );
});

test('toMajorUnits shifts the decimal point by the exponent of the currency', () => {
  expect([toMajorUnits(1999, 'USD'), toMajorUnits(1999, 'JPY'), toMajorUnits(1999, 'KWD')]).toEqual([
    19.99, 1999, 1.999,
  ]);
});

test('formatMoney shows all decimals of the currency', () => {
  expect([
    formatMoney(2590, 'USD'),
    formatMoney(0, 'EUR'),
    formatMoney(2590, 'JPY'),
    formatMoney(2590, 'KWD'),
    formatMoney(999_999_999_999, 'KWD'),
  ]).toEqual(['25.90 USD', '0.00 EUR', '2590 JPY', '2.590 KWD', '999999999.999 KWD']);
});
