import { currencyExponent, MAX_AMOUNT_CENTS } from '@affkit/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AmountRules, parseAmount, UnreadableAmountError } from './parse-amount.ts';

const MAJOR: AmountRules = { currency: 'USD', unit: 'major', hasDecimalComma: false };
const MINOR: AmountRules = { ...MAJOR, unit: 'minor' };
const COMMA: AmountRules = { ...MAJOR, currency: 'EUR', hasDecimalComma: true };

describe('parseAmount', () => {
  test.each([
    ['12.50', MAJOR, 1250],
    ['$1,234.5', MAJOR, 123_450],
    ['CA$30.00', { ...MAJOR, currency: 'CAD' }, 3000],
    ['$30.00', { ...MAJOR, currency: 'CAD' }, 3000],
    ['US$30.00', MAJOR, 3000],
    ['30.00 USD', MAJOR, 3000],
    ['R$ 30,00', { ...MAJOR, currency: 'BRL' }, 3000],
    ['NT$30.00', { ...MAJOR, currency: 'TWD' }, 3000],
    ['EC$30.00', { ...MAJOR, currency: 'XCD' }, 3000],
    ['£30', { ...MAJOR, currency: 'GBP' }, 3000],
    ['￥3000', { ...MAJOR, currency: 'JPY' }, 3000],
    ['CHF 30.00', { ...MAJOR, currency: 'CHF' }, 3000],
    ['+7', MAJOR, 700],
    ['30,00', MAJOR, 3000],
    ['1.234,50 €', COMMA, 123_450],
    ['1 234,50', COMMA, 123_450],
    ['30.00', COMMA, 3000],
    ['0.29', MAJOR, 29],
    ['¥3,000', { ...MAJOR, currency: 'JPY' }, 3000],
    ['1.999', { ...MAJOR, currency: 'KWD' }, 1999],
    ['9999999999.99', MAJOR, MAX_AMOUNT_CENTS],
    ['1250', MINOR, 1250],
    ['1250.0', MINOR, 1250],
  ] as const)('reads %s', (text, rules, cents) => {
    expect(parseAmount(text, rules)).toBe(cents);
  });

  test.each([
    ['', MAJOR, 'is not an amount'],
    ['NaN', MAJOR, 'is not an amount'],
    ['Infinity', MAJOR, 'is not an amount'],
    ['1e3', MAJOR, 'is not an amount'],
    ['0x10', MAJOR, 'is not an amount'],
    ['=1+1', MAJOR, 'is not an amount'],
    ["'=1+1", MAJOR, 'is not an amount'],
    ['1.2.3', MAJOR, 'is not an amount'],
    ['-5.00', MAJOR, 'is negative'],
    ['-$5.00', MAJOR, 'is negative'],
    ['$−5.00', MAJOR, 'is negative'],
    ['12.505', MAJOR, 'has more decimals than USD'],
    ['1.5', { ...MAJOR, currency: 'JPY' }, 'has more decimals than JPY'],
    ['12.50', MINOR, 'use --amounts major'],
    ['€30.00', MAJOR, 'has the symbol "€", but its currency is USD'],
    ['30.00 EUR', MAJOR, 'has the symbol "EUR", but its currency is USD'],
    ['CA$30.00', MAJOR, 'has the symbol "CA$", but its currency is USD'],
    ['NT$30.00', MAJOR, 'has the symbol "NT$", but its currency is USD'],
    ['€30.00', { ...MAJOR, currency: 'CHF' }, 'has the symbol "€", but its currency is CHF'],
    ['$1250', { ...MINOR, currency: 'EUR' }, 'has the symbol "$", but its currency is EUR'],
    ['1000000000000000', MAJOR, 'is too large'],
    ['1000000000000000', MINOR, 'is too large'],
  ] as const)('rejects %s', (text, rules, message) => {
    expect(() => parseAmount(text, rules)).toThrow(UnreadableAmountError);
    expect(() => parseAmount(text, rules)).toThrow(message);
  });

  test('reads every amount that is written with the decimals of its currency', () => {
    const amount = fc.integer({ min: 0, max: MAX_AMOUNT_CENTS });
    const currency = fc.constantFrom('USD', 'JPY', 'KWD');
    fc.assert(
      fc.property(amount, currency, fc.boolean(), (cents, code, hasDecimalComma) => {
        const exponent = currencyExponent(code);
        const digits = String(cents).padStart(exponent + 1, '0');
        const whole = digits.slice(0, digits.length - exponent);
        const point = hasDecimalComma ? ',' : '.';
        const text = exponent === 0 ? whole : `${whole}${point}${digits.slice(-exponent)}`;
        expect(parseAmount(text, { currency: code, unit: 'major', hasDecimalComma })).toBe(cents);
        expect(parseAmount(digits, { currency: code, unit: 'minor', hasDecimalComma })).toBe(cents);
      }),
    );
  });

  test('returns a whole amount or throws an UnreadableAmountError for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, hasDecimalComma) => {
        try {
          const cents = parseAmount(text, { ...MAJOR, hasDecimalComma });
          expect(Number.isSafeInteger(cents) && cents >= 0 && cents <= MAX_AMOUNT_CENTS).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableAmountError);
        }
      }),
    );
  });
});
