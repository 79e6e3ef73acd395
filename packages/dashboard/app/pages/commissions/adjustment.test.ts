import { expect, test } from 'vitest';
import { describeExcess, parseAdjustment } from './adjustment.ts';

test.each([
  ['5', 500],
  ['+5.00', 500],
  [' -5.00 ', -500],
  ['-0', null],
  ['--5', null],
  ['5 USD', null],
  ['', null],
])('the adjustment "%s" in USD is %s cents', (text, cents) => {
  expect(parseAdjustment(text, 'USD')).toBe(cents);
});

const commission = {
  status: 'refunded',
  amount_cents: 3000,
  deducted_cents: 1500,
  adjusted_cents: 500,
  currency: 'USD',
};

test.each([
  [-2000, null],
  [-2001, 'You can subtract at most $20.00.'],
  [999_999_997_999, null],
  [999_999_998_000, 'You can add at most $9,999,999,979.99.'],
])('the message about an adjustment of a $20.00 commission by %i cents is: %s', (cents, text) => {
  expect(describeExcess(commission, cents)).toBe(text);
});
