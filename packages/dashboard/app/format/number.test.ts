import { expect, test } from 'vitest';
import { formatMoney } from './money.ts';
import { formatCount, trendOf } from './number.ts';

const count = { isMoney: false, format: formatCount };
const money = { isMoney: true, format: (cents: number) => formatMoney(cents, 'USD') };

test.each([
  [150, 100, count, { direction: 'up', change: '50%' }],
  [875, 1000, count, { direction: 'down', change: '12.5%' }],
  [1100, 100, count, { direction: 'up', change: '1,000%' }],
  [5, 0, count, 'new'],
  [0, 50, count, { direction: 'down', change: '100%' }],
  [5, 5, count, 'same'],
  [0, 0, count, null],
  // A percentage would be misleading if the earlier count is small or the percentage is large. Instead, the difference
  // is shown.
  [3, 1, count, { direction: 'up', change: '2' }],
  [2, 9, count, { direction: 'down', change: '7' }],
  [4000, 100, count, { direction: 'up', change: '3,900' }],
  [1_000_000, 2037, money, { direction: 'up', change: '$9,979.63' }],
  [3, 2, money, { direction: 'up', change: '50%' }],
])('the trend to %i from %i with %j is %j', (now, before, options, trend) => {
  expect(trendOf(now, before, options)).toEqual(trend);
});
