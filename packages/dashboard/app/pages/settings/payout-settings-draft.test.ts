import { expect, test } from 'vitest';
import { payoutDraftOf, payoutSettingsChange } from './payout-settings-draft.ts';

const stored = {
  min_payout_cents: 2500,
  schedule_day: 5,
  debtor: { name: 'Tea Shop', iban_masked: 'DE89…3000', bic: null },
  providers: [],
};
const saved = payoutDraftOf(stored, 'USD');
const change = (changes: Partial<typeof saved>) =>
  payoutSettingsChange({ ...saved, ...changes }, stored, 'USD');

test('only changed settings are sent', () => {
  expect(change({})).toEqual({ body: {}, errors: [] });
  expect(change({ minimum: ' 25 ' }).body).toEqual({});
  expect(change({ minimum: '30.00' }).body).toEqual({ min_payout_cents: 3000 });
  expect(change({ minimum: '' }).body).toEqual({ min_payout_cents: null });
  expect(change({ day: '' }).body).toEqual({ schedule_day: null });
  expect(change({ iban: 'DE89 3704', bic: 'cobade ff' }).body).toEqual({
    debtor: { name: 'Tea Shop', iban: 'DE89 3704', bic: 'COBADEFF' },
  });
  expect(change({ name: ' ' })).toEqual({ body: { debtor: null }, errors: [] });
});

test('a minimum must be above 0, and an account needs a name and an IBAN', () => {
  expect(change({ minimum: '0' }).errors).toEqual(['minimum']);
  expect(change({ name: 'Tea House' }).errors).toEqual(['iban']);
  expect(change({ name: '', iban: 'DE89' }).errors).toEqual(['name']);
  expect(change({ name: '', bic: 'COBADEFF' }).errors).toEqual(['name', 'iban']);
});
