import { expect, test } from 'vitest';
import { shownAmounts } from './values.tsx';

test('the amount in the currency of the program is first, and amounts of 0 are left out', () => {
  const amounts = [
    { currency: 'EUR', cents: 900 },
    { currency: 'GBP', cents: 0 },
    { currency: 'JPY', cents: 4 },
    { currency: 'USD', cents: 5 },
  ];
  const currencies = (currency: string) => shownAmounts(amounts, currency).map((amount) => amount.currency);
  expect(currencies('USD')).toEqual(['USD', 'EUR', 'JPY']);
  expect(currencies('GBP')).toEqual(['EUR', 'JPY', 'USD']);
});
