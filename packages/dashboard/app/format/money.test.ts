import { expect, test } from 'vitest';
import { axisTicks } from '../charts/scale.ts';
import { parseMoney, toInput } from './amount-input.ts';
import { formatMoney, formatMoneyCompact } from './money.ts';

const LARGE = 999_999_999_999;

test.each([
  ['EUR', LARGE, '€9,999,999,999.99', '9999999999.99'],
  ['JPY', LARGE, '¥999,999,999,999', '999999999999'],
  ['KWD', LARGE, 'KWD 999,999,999.999', '999999999.999'],
  ['CLF', LARGE, 'CLF 99,999,999.9999', '99999999.9999'],
  // By default, browsers format these currencies without the decimals that ISO 4217 defines.
  ['HUF', 1999, 'HUF 19.99', '19.99'],
  ['COP', 5, 'COP 0.05', '0.05'],
  ['IDR', 123_456, 'IDR 1,234.56', '1234.56'],
  ['IQD', 1999, 'IQD 1.999', '1.999'],
])('%s has the decimals of ISO 4217 in texts and inputs', (currency, cents, text, input) => {
  expect(formatMoney(cents, currency).replaceAll('\u00a0', ' ')).toBe(text);
  expect(toInput(cents, currency)).toBe(input);
  expect(parseMoney(input, currency)).toBe(cents);
});

test('negative and compact amounts keep their currency', () => {
  expect(formatMoney(-5, 'EUR')).toBe('−€0.05');
  expect(formatMoneyCompact(-123_456, 'CAD')).toBe('−CA$1.2K');
  expect(formatMoneyCompact(123_456, 'CAD')).toBe('CA$1.2K');
});

test.each([
  ['USD', 25, ['$0', '$0.05', '$0.1', '$0.15', '$0.2', '$0.25']],
  ['USD', 250_000, ['$0', '$500', '$1K', '$1.5K', '$2K', '$2.5K']],
  ['KWD', 10, ['KWD 0', 'KWD 0.002', 'KWD 0.004', 'KWD 0.006', 'KWD 0.008', 'KWD 0.01']],
  ['JPY', 3, ['¥0', '¥1', '¥2', '¥3']],
])('the axis of amounts in %s up to %i shows each tick exactly', (currency, largest, labels) => {
  const texts = axisTicks(largest).map((cents) => formatMoneyCompact(cents, currency));
  expect(texts.map((text) => text.replaceAll('\u00a0', ' '))).toEqual(labels);
});

test('currencies that share a symbol are shown differently', () => {
  const currencies = ['USD', 'CAD', 'AUD', 'MXN', 'CLP', 'COP', 'JPY', 'CNY', 'SEK', 'NOK'];
  const texts = new Set(currencies.map((currency) => formatMoney(100, currency).replace(/\d.*/, '')));
  expect(texts.size).toBe(currencies.length);
});

test.each([
  // Rejected, because it could mean 1.5 or 1,500 dinars.
  ['1,500', 'KWD', null],
  ['1.500', 'KWD', 1500],
  ['1,5', 'KWD', 1500],
  ['1,500', 'CLF', null],
  ['1,5000', 'CLF', 15_000],
  ['1,500', 'USD', null],
  ['1,50', 'USD', 150],
  ['1,500.00', 'USD', null],
  ['1,500', 'JPY', null],
])('%s is in %s parsed as %s', (text, currency, cents) => {
  expect(parseMoney(text, currency)).toBe(cents);
});
