import { describe, expect, test } from 'vitest';
import { attributeFurtherClick, type KeyedCustomer, resolveByToken } from './attribution.ts';

const customer = { status: 'click', partnerId: 1, linkId: 10 } as const;
const link = { partnerId: 2, linkId: 20 };

describe('a further click by another partner', () => {
  test('wins on last_click until the lead', () => {
    expect(attributeFurtherClick(customer, link, 'last_click')).toEqual({
      partnerId: 2,
      linkId: 20,
      countsForWindow: true,
    });
  });

  test('changes nothing on first_click', () => {
    expect(attributeFurtherClick(customer, link, 'first_click')).toEqual({
      partnerId: 1,
      linkId: 10,
      countsForWindow: false,
    });
  });

  test.each(['lead', 'conversion'] as const)('changes nothing from the %s on', (status) => {
    expect(attributeFurtherClick({ ...customer, status }, link, 'last_click')).toEqual({
      partnerId: 1,
      linkId: 10,
      countsForWindow: false,
    });
  });

  test('by the own partner renews the window', () => {
    const own = { partnerId: 1, linkId: 11 };
    expect(attributeFurtherClick({ ...customer, status: 'lead' }, own, 'last_click').countsForWindow).toBe(
      true,
    );
  });
});

describe('a caller with the token', () => {
  const none: KeyedCustomer = { id: 1, customer_key: null, key_state: null };
  const claimed: KeyedCustomer = { id: 2, customer_key: 'u1', key_state: 'claimed' };
  const verified: KeyedCustomer = { id: 3, customer_key: 'u1', key_state: 'verified' };

  test('finds nobody without a match', () => {
    expect(resolveByToken('u1', null, null)).toBeNull();
  });

  test('moves a claimed key to the click that it names', () => {
    expect(resolveByToken('u1', claimed, none)).toEqual({
      customer: none,
      displaced: claimed,
      storesKey: true,
      note: 'customer_key_claim_displaced',
    });
  });

  test('never moves a verified key', () => {
    expect(resolveByToken('u1', verified, none)).toEqual({
      customer: verified,
      displaced: null,
      storesKey: false,
      note: 'customer_key_wins_over_click_id',
    });
  });

  test('does not move a claimed key to a click whose own key is verified', () => {
    const other: KeyedCustomer = { id: 4, customer_key: 'u2', key_state: 'verified' };
    expect(resolveByToken('u1', claimed, other)).toEqual({
      customer: other,
      displaced: null,
      storesKey: false,
      note: 'customer_key_claim_passed_over',
    });
  });

  test('verifies a claimed key by naming its own click', () => {
    expect(resolveByToken('u1', claimed, claimed)).toMatchObject({
      customer: claimed,
      storesKey: true,
      note: null,
    });
  });

  test('stores a key on a click that has none', () => {
    expect(resolveByToken('u1', null, none)).toMatchObject({ customer: none, storesKey: true, note: null });
    expect(resolveByToken(undefined, null, none)).toMatchObject({ customer: none, storesKey: false });
  });

  test('replaces a key that was only claimed, and keeps a verified one', () => {
    const mine: KeyedCustomer = { id: 5, customer_key: 'typo', key_state: 'claimed' };
    expect(resolveByToken('u1', null, mine)).toMatchObject({
      storesKey: true,
      note: 'customer_key_claim_replaced',
    });
    expect(resolveByToken('u9', null, verified)).toMatchObject({
      customer: verified,
      storesKey: false,
      note: null,
    });
  });
});
