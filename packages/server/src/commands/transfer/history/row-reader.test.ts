import { expect, test } from 'vitest';
import { firstpromoter } from '../vendors/firstpromoter.ts';
import { rewardful } from '../vendors/rewardful.ts';
import type { FileKind, Vendor } from '../vendors/vendor.ts';
import { mapColumns } from './map-columns.ts';
import { Row, RowError } from './row.ts';
import { RowReader } from './row-reader.ts';

const NOW = Date.UTC(2026, 0, 1);

function rowOf(kind: FileKind, cells: Readonly<Record<string, string>>, vendor: Vendor = rewardful): Row {
  const table = vendor.files[kind];
  if (!table) throw new Error(`${kind} has no columns`);
  return new Row(Object.values(cells), mapColumns(`${kind}.csv`, kind, table, Object.keys(cells)), NOW);
}

test('a commission without a customer is not assigned to a customer whose id is the text "null"', () => {
  const reader = new RowReader({ vendor: rewardful, unit: 'minor', currency: 'USD' });
  reader.readCustomer(
    rowOf('customers', { id: 'null', stripe_customer_id: 'null', affiliate_email: 'ada@partner.example' }),
  );
  const commission = {
    id: 'c1',
    amount: '100',
    state: 'due',
    created_at: '2024-02-01',
    'sale.referral.id': '',
    stripe_customer_id: '',
    affiliate_email: '',
  };
  expect(() => reader.readCommission(rowOf('commissions', commission), false)).toThrow(RowError);
  const named = { ...commission, 'sale.referral.id': 'null' };
  expect(reader.readCommission(rowOf('commissions', named), false).record).toMatchObject({
    commission: { partnerEmail: 'ada@partner.example' },
  });
});

test.each([
  ['true', 'paid'],
  ['TRUE', 'paid'],
  ['Yes', 'paid'],
  ['1', 'paid'],
  ['false', 'approved'],
  ['No', 'approved'],
  ['0', 'approved'],
  ['', 'approved'],
])('an approved commission with is_paid "%s" is %s', (isPaid, state) => {
  expect(readPayment(isPaid)).toMatchObject({ commission: { state } });
});

test.each(['x', 'paid', 'unpaid', '2024-03-01'])('skips a commission with is_paid "%s"', (isPaid) => {
  expect(() => readPayment(isPaid)).toThrow(new RowError(`is_paid must be true or false, got "${isPaid}"`));
});

function readPayment(isPaid: string) {
  const reader = new RowReader({ vendor: firstpromoter, unit: 'minor', currency: 'USD' });
  const cells = {
    id: '1',
    amount: '100',
    status: 'approved',
    is_paid: isPaid,
    created_at: '2024-02-01',
    promoter_email: 'ada@partner.example',
    referral_email: 'dee@customer.example',
  };
  return reader.readCommission(rowOf('commissions', cells, firstpromoter), false).record;
}
