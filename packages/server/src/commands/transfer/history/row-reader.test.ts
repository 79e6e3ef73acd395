import { expect, test } from 'vitest';
import { rewardful } from '../vendors/rewardful.ts';
import type { FileKind } from '../vendors/vendor.ts';
import { mapColumns } from './map-columns.ts';
import { Row, RowError } from './row.ts';
import { RowReader } from './row-reader.ts';

const NOW = Date.UTC(2026, 0, 1);

function rowOf(kind: FileKind, cells: Readonly<Record<string, string>>): Row {
  const table = rewardful.files[kind];
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
