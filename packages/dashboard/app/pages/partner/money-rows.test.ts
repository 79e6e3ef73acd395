import { expect, test } from 'vitest';
import { moneyRows } from './money-rows.ts';

const total = { count: 1, amount_cents: 1000, deducted_cents: 300, adjusted_cents: 50 };

test('moneyRows has a row for each currency, the one of the program first', () => {
  const totals = [
    { ...total, status: 'pending' as const, currency: 'EUR' },
    { ...total, status: 'paid' as const, currency: 'USD' },
    { ...total, status: 'paid' as const, currency: 'EUR' },
  ];
  const balances = [{ currency: 'JPY', balance_cents: 900, payable_cents: 400 }];
  expect(moneyRows(totals, balances, 'USD')).toEqual([
    { id: 0, currency: 'USD', pending: 0, approved: 0, paid: 750, payable: 0, balance: 0 },
    { id: 1, currency: 'EUR', pending: 750, approved: 0, paid: 750, payable: 0, balance: 0 },
    { id: 2, currency: 'JPY', pending: 0, approved: 0, paid: 0, payable: 400, balance: 900 },
  ]);
  expect(moneyRows([], balances, 'USD').map(({ currency }) => currency)).toEqual(['JPY']);
  expect(moneyRows([], [], 'USD').map(({ currency }) => currency)).toEqual(['USD']);
});
