import { expect, test } from 'vitest';
import type { PayoutDetails } from '../../api/types.ts';
import { bodyOf, checkDraft, draftOf, fieldOf } from './details-draft.ts';

const BANK: PayoutDetails = {
  partner_id: 7,
  method: 'bank',
  currency: 'EUR',
  email: null,
  iban: 'DE89370400440532013000',
  bic: null,
  account_holder: 'Ana Silva',
  account_holder_type: null,
  stripe_account_id: null,
  instructions: null,
  tax_name: 'Ana Silva Lda',
  tax_id: null,
  address: {
    line1: 'Rua 1',
    line2: null,
    postal_code: '1000',
    city: 'Lisboa',
    region: null,
    country: 'PT',
  },
  updated_at: '2026-11-03T12:00:00.000Z',
};

test('sends the loaded details without empty fields', () => {
  expect(bodyOf(draftOf(BANK), 7)).toEqual({
    partner_id: 7,
    method: 'bank',
    currency: 'EUR',
    iban: 'DE89370400440532013000',
    account_holder: 'Ana Silva',
    tax_name: 'Ana Silva Lda',
    address: { line1: 'Rua 1', postal_code: '1000', city: 'Lisboa', country: 'PT' },
  });
});

test('sends only the fields of the method', () => {
  const draft = {
    ...draftOf(BANK),
    method: 'paypal',
    email: ' ana@blog.example ',
    hasAddress: false,
  } as const;
  expect(bodyOf(draft, 7)).toEqual({
    partner_id: 7,
    method: 'paypal',
    currency: 'EUR',
    email: 'ana@blog.example',
    tax_name: 'Ana Silva Lda',
  });
});

test('sends the holder type of a Wise account', () => {
  const draft = { ...draftOf(BANK), method: 'wise', hasAddress: false } as const;
  expect(bodyOf(draft, 7)).toMatchObject({ account_holder_type: 'person', iban: 'DE89370400440532013000' });
  const company = { ...BANK, method: 'wise', account_holder_type: 'company' } as const;
  expect(bodyOf(draftOf(company), 7)).toMatchObject({ account_holder_type: 'company' });
});

test('returns the missing fields of the method and of the address', () => {
  const none = draftOf(null);
  const missing = (draft: typeof none) => Object.keys(checkDraft(draft)).sort();
  expect(missing(none)).toEqual(['account_holder', 'iban']);
  expect(missing({ ...none, method: 'other', hasAddress: true })).toEqual([
    'city',
    'country',
    'instructions',
    'line1',
  ]);
  const wise = { ...none, method: 'wise', account_holder: 'Ana' } as const;
  expect(missing(wise)).toEqual(['email']);
  expect(missing({ ...wise, iban: 'DE' })).toEqual([]);
  expect(missing({ ...wise, iban: 'DE', email: 'a@b.test' })).toEqual(['email']);
});

test('finds the field of an error of the API', () => {
  const draft = { ...draftOf(null), hasAddress: true };
  expect(fieldOf(new Error('iban must be a valid IBAN'), draft)).toBe('iban');
  expect(fieldOf(new Error('country of address must be a code'), draft)).toBe('country');
  expect(fieldOf(new Error('email is required'), draft)).toBeNull();
});
