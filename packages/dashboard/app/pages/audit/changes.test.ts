import { expect, test } from 'vitest';
import { changesOf, subjectNameOf } from './changes.ts';

test('lists the changed fields with their values before and after', () => {
  const entry = {
    before: { status: 'pending', reference: null },
    after: { status: 'paid', reference: 'T-1' },
  };
  expect(changesOf(entry, 'USD')).toEqual([
    { name: 'status', field: 'Status', before: 'pending', after: 'paid' },
    { name: 'reference', field: 'Reference', before: 'none', after: 'T-1' },
  ]);
});

test('formats amounts in the currency of the row, or of the program if the row has none', () => {
  const amount = (after: object) => changesOf({ before: null, after }, 'USD')[0]?.after;
  expect(amount({ amount_cents: 999_999_999_999, currency: 'JPY' })).toBe('¥999,999,999,999');
  expect(amount({ amount_cents: 1500 })).toBe('$15.00');
  expect(amount({ rate: 12.5 })).toBe('12.5%');
});

test('formats each amount in the currency of its time, and shows a change of the currency', () => {
  const entry = {
    before: { currency: 'USD', min_sale_cents: 500 },
    after: { currency: 'JPY', min_sale_cents: 600 },
  };
  expect(changesOf(entry, 'JPY').map(({ before, after }) => `${before} → ${after}`)).toEqual([
    'USD → JPY',
    '$5.00 → ¥600',
  ]);
  const sameCurrency = {
    before: { currency: 'JPY', adjusted_cents: 0 },
    after: { currency: 'JPY', adjusted_cents: 500 },
  };
  expect(changesOf(sameCurrency, 'USD').map(({ before, after }) => `${before} → ${after}`)).toEqual([
    '¥0 → ¥500',
  ]);
});

test('leaves out fields of a new row that are not set', () => {
  const after = { name: 'CRM', program_scope: null, scopes: ['partner:list', 'payout:list'], allowed: [] };
  expect(changesOf({ before: null, after }, 'USD')).toEqual([
    { name: 'scopes', field: 'Scopes', before: null, after: 'partner:list, payout:list' },
  ]);
  expect(subjectNameOf({ before: null, after })).toBe('CRM');
});

test('shows a question by its label, or as JSON if it has no label', () => {
  const after = { questions: [{ id: 'site', label: 'Your site?' }, { id: 'size' }] };
  expect(changesOf({ before: null, after }, 'USD')[0]?.after).toBe('Your site?, {"id":"size"}');
});

test('lists the fields of a deleted row without new values', () => {
  expect(changesOf({ before: { is_live: true }, after: null }, 'USD')).toEqual([
    { name: 'is_live', field: 'Is live', before: 'yes', after: null },
  ]);
  expect(subjectNameOf({ before: null, after: null })).toBeNull();
});
