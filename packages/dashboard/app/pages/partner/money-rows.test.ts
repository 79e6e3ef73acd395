import { expect, test } from 'vitest';
import { moneyRows } from './money-rows.ts';

const total = { count: 1, amount_cents: 1000, deducted_cents: 0, adjusted_cents: 0 };

test('the balance is the earned amount minus the deducted and the paid amount', () => {
  const totals = [
    { ...total, status: 'pending' as const, currency: 'USD', adjusted_cents: 50 },
    { ...total, status: 'paid' as const, currency: 'USD', deducted_cents: 300 },
    { ...total, status: 'rejected' as const, currency: 'USD' },
  ];
  const balances = [{ currency: 'USD', balance_cents: 750, payable_cents: 0 }];
  const payouts = [
    { currency: 'USD', amount_cents: 1000, status: 'paid' as const },
    { currency: 'USD', amount_cents: 100, status: 'pending' as const },
    { currency: 'USD', amount_cents: 70, status: 'cancelled' as const },
  ];
  const [row] = moneyRows(totals, balances, payouts, 'USD');
  expect(row).toMatchObject({ earned: 2050, deducted: 300, paid: 1000, writtenOff: 0, balance: 750 });
  expect(row).toMatchObject({ onHold: 650, payable: 0, inPayouts: 100 });
  expect(moneyRows(totals, balances, null, 'USD')[0]).toMatchObject({ paid: 1000, writtenOff: 0 });
});

test('a deduction that the balance did not cover is written off', () => {
  const totals = [{ ...total, status: 'approved' as const, currency: 'EUR', deducted_cents: 1000 }];
  const balances = [{ currency: 'EUR', balance_cents: 0, payable_cents: 0 }];
  const payouts = [{ currency: 'EUR', amount_cents: 400, status: 'paid' as const }];
  expect(moneyRows(totals, balances, payouts, 'EUR')).toMatchObject([{ writtenOff: 400 }]);
});

test('the currency of the program is first, and a currency without amounts is left out', () => {
  const balances = [{ currency: 'JPY', balance_cents: 900, payable_cents: 400 }];
  const currencies = (own: string, totals: Parameters<typeof moneyRows>[0] = []) =>
    moneyRows(totals, balances, [], own).map(({ currency }) => currency);
  expect(currencies('USD')).toEqual(['JPY']);
  expect(currencies('USD', [{ ...total, status: 'paid', currency: 'USD' }])).toEqual(['USD', 'JPY']);
  expect(moneyRows([], [], [], 'USD').map(({ currency }) => currency)).toEqual(['USD']);
});
