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
  const payouts = [{ currency: 'JPY', amount_cents: 300 }];
  expect(moneyRows(totals, balances, payouts, 'USD')).toEqual([
    { id: 0, currency: 'USD', onHold: 0, payable: 0, inPayouts: 0, balance: 0, paid: 750 },
    { id: 1, currency: 'EUR', onHold: 0, payable: 0, inPayouts: 0, balance: 0, paid: 750 },
    { id: 2, currency: 'JPY', onHold: 200, payable: 400, inPayouts: 300, balance: 900, paid: 0 },
  ]);
});

test('moneyRows leaves out a currency without amounts, unless there is no other', () => {
  const balances = [{ currency: 'JPY', balance_cents: 900, payable_cents: 400 }];
  expect(moneyRows([], balances, [], 'USD').map(({ currency }) => currency)).toEqual(['JPY']);
  expect(moneyRows([], [], [], 'USD').map(({ currency }) => currency)).toEqual(['USD']);
});
