import { expect, test } from 'vitest';
import { findBaseOfSale } from './commission-base.ts';

const amounts = { amountCents: 1_000, taxCents: 190, shippingCents: 0 };

test.each(['net', 'total'] as const)(
  'finds the base of a stored sale if the setting is now %s',
  (current) => {
    expect(findBaseOfSale(current, 810, amounts)).toBe('net');
    expect(findBaseOfSale(current, 1_000, amounts)).toBe('total');
    expect(findBaseOfSale(current, 1_000, { ...amounts, taxCents: 0 })).toBe(current);
  },
);

test('older versions computed the commission from the whole amount', () => {
  expect(findBaseOfSale('net', null, { ...amounts, taxCents: 0 })).toBe('total');
});
