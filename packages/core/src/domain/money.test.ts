import { currencyExponent } from '@affkit/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMajorUnits, formatMoney, parseMajorUnits, proportion, toMajorUnits } from './money.ts';

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

test.each([
  [7_100_000_000_023_757, 'USD', '71000000000237.57'],
  [Number.MAX_SAFE_INTEGER, 'JPY', '9007199254740991'],
  [Number.MAX_SAFE_INTEGER, 'USD', '90071992547409.91'],
  [Number.MIN_SAFE_INTEGER, 'KWD', '-9007199254740.991'],
  [Number.MIN_SAFE_INTEGER, 'CLF', '-900719925474.0991'],
  [-1, 'KWD', '-0.001'],
  [-50, 'USD', '-0.50'],
  [-50, 'JPY', '-50'],
  [-0, 'USD', '0.00'],
])('formatMajorUnits formats %i %s as %s', (cents, currency, text) => {
  expect(formatMajorUnits(cents, currency)).toBe(text);
});

test('parseMajorUnits reads the exact amount that formatMajorUnits has written, but without its sign', () => {
  // These currencies have 0, 2, 3, and 4 decimals.
  const currency = fc.constantFrom('JPY', 'USD', 'KWD', 'CLF');
  fc.assert(
    fc.property(fc.maxSafeInteger(), currency, (cents, code) => {
      const text = formatMajorUnits(cents, code);
      expect(text.split('.')[1]?.length ?? 0).toBe(currencyExponent(code));
      expect(text.startsWith('-')).toBe(cents < 0);
      expect(parseMajorUnits(text, code)).toBe(Math.abs(cents));
    }),
  );
});

test('parseMajorUnits rejects an amount that is not a safe integer', () => {
  expect(parseMajorUnits('9007199254740992', 'JPY')).toBeNull();
  expect(parseMajorUnits('90071992547409.92', 'USD')).toBeNull();
});
