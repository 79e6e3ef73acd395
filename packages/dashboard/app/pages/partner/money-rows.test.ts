import { expect, test } from 'vitest';
import { moneyRows } from './money-rows.ts';

const total = { count: 1, amount_cents: 1000, deducted_cents: 0, adjusted_cents: 0 };
const nothing = { pending_cents: 0, on_hold_cents: 0, in_payout_cents: 0, to_deduct_cents: 0, paid_cents: 0 };

test('the balance is the earned amount minus the deducted and the paid amount', () => {
  const totals = [
    { ...total, status: 'pending' as const, currency: 'USD', adjusted_cents: 50 },
    { ...total, status: 'paid' as const, currency: 'USD', deducted_cents: 300 },
    { ...total, status: 'rejected' as const, currency: 'USD' },
  ];
  const balances = [{ currency: 'USD', balance_cents: 750, payable_cents: 0 }];
  const amounts = [
    {
      ...nothing,
      currency: 'USD',
      pending_cents: 250,
      on_hold_cents: 400,
      in_payout_cents: 100,
      paid_cents: 1000,
    },
  ];
  const [row] = moneyRows(totals, { balances, amounts }, 'USD');
  expect(row).toMatchObject({ earned: 2050, deducted: 300, paid: 1000, writtenOff: 0, balance: 750 });
  expect(row).toMatchObject({ inReview: 250, onHold: 400, payable: 0, inPayouts: 100, toDeduct: 0 });
});

test('a deduction that the balance did not cover is written off', () => {
  const totals = [{ ...total, status: 'approved' as const, currency: 'EUR', deducted_cents: 1000 }];
  const balances = [{ currency: 'EUR', balance_cents: 0, payable_cents: 0 }];
  const amounts = [{ ...nothing, currency: 'EUR', paid_cents: 400 }];
  expect(moneyRows(totals, { balances, amounts }, 'EUR')).toMatchObject([{ writtenOff: 400 }]);
});

test('a deduction after the payment reduces the next payable amounts, not the amount on hold', () => {
  const totals = [
    { ...total, status: 'pending' as const, currency: 'JPY', amount_cents: 500 },
    { ...total, status: 'reversed' as const, currency: 'JPY', deducted_cents: 1000 },
  ];
  const balances = [{ currency: 'JPY', balance_cents: -500, payable_cents: 0 }];
  const amounts = [
    { ...nothing, currency: 'JPY', on_hold_cents: 500, to_deduct_cents: 1000, paid_cents: 1000 },
  ];
  expect(moneyRows(totals, { balances, amounts }, 'JPY')).toMatchObject([
    { onHold: 500, payable: 0, toDeduct: 1000, balance: -500, writtenOff: 0 },
  ]);
});

test('the currency of the program is first, and a currency without amounts is left out', () => {
  const balances = [{ currency: 'JPY', balance_cents: 900, payable_cents: 400 }];
  const currencies = (own: string, totals: Parameters<typeof moneyRows>[0] = []) =>
    moneyRows(totals, { balances, amounts: [] }, own).map(({ currency }) => currency);
  expect(currencies('USD')).toEqual(['JPY']);
  expect(currencies('USD', [{ ...total, status: 'paid', currency: 'USD' }])).toEqual(['USD', 'JPY']);
  expect(moneyRows([], { balances: [], amounts: [] }, 'USD').map(({ currency }) => currency)).toEqual([
    'USD',
  ]);
});
