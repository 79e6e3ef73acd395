import { expect, test } from 'vitest';
import { formatMoney, parseMoney } from './money.ts';

test.each([
  ['12', 1200],
  ['12.5', 1250],
  ['19.99', 1999],
  [' 0.07 ', 7],
  ['1.005', null],
  ['-1', null],
  ['', null],
  ['1e3', null],
])('parses "%s" as %s cents', (text, cents) => {
  expect(parseMoney(text)).toBe(cents);
});

test('formats cents as dollars', () => {
  expect(formatMoney(129_507)).toBe('$1,295.07');
});
