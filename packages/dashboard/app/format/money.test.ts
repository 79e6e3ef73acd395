import { expect, test } from 'vitest';
import { formatMoney, formatMoneyCompact, parseMoney, toInput } from './money.ts';

const LARGE = 999_999_999_999;

test.each([
  ['EUR', LARGE, '€9,999,999,999.99', '9999999999.99'],
  ['JPY', LARGE, '¥999,999,999,999', '999999999999'],
  ['KWD', LARGE, 'KWD 999,999,999.999', '999999999.999'],
  ['CLF', LARGE, 'CLF 99,999,999.9999', '99999999.9999'],
  // By default, browsers format these currencies without the decimals that ISO 4217 defines.
  ['HUF', 1999, 'Ft 19.99', '19.99'],
  ['COP', 5, '$0.05', '0.05'],
  ['IDR', 123_456, 'Rp 1,234.56', '1234.56'],
  ['IQD', 1999, 'IQD 1.999', '1.999'],
])('%s has the decimals of ISO 4217 in texts and inputs', (currency, cents, text, input) => {
  expect(formatMoney(cents, currency).replaceAll('\u00a0', ' ')).toBe(text);
  expect(toInput(cents, currency)).toBe(input);
  expect(parseMoney(input, currency)).toBe(cents);
});

test('negative and compact amounts keep their currency', () => {
  expect(formatMoney(-5, 'EUR')).toBe('-€0.05');
  expect(formatMoneyCompact(123_456, 'COP')).toBe('$1.2K');
});
