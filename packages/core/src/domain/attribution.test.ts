import { describe, expect, test } from 'vitest';
import { type AttributionCandidate, attributeLaterClick, resolveByToken } from './attribution.ts';

const customer = { status: 'click', partnerId: 1, linkId: 10 } as const;
const link = { partnerId: 2, linkId: 20 };

describe('a later click', () => {
  test('moves the customer to the new partner if the model is last_click', () => {
    expect(attributeLaterClick(customer, link, 'last_click')).toEqual({
      partnerId: 2,
      linkId: 20,
      countsForWindow: true,
    });
  });

  test('keeps the partner of the customer if the model is first_click', () => {
    expect(attributeLaterClick(customer, link, 'first_click')).toEqual({
      partnerId: 1,
      linkId: 10,
      countsForWindow: false,
    });
  });

  test.each(['lead', 'conversion'] as const)('keeps the partner of a customer with status %s', (status) => {
    expect(attributeLaterClick({ ...customer, status }, link, 'last_click')).toEqual({
      partnerId: 1,
      linkId: 10,
      countsForWindow: false,
    });
  });

  test('restarts the window when the link belongs to the same partner', () => {
    const samePartner = { partnerId: 1, linkId: 11 };
    const lead = { ...customer, status: 'lead' } as const;
    expect(attributeLaterClick(lead, samePartner, 'last_click').countsForWindow).toBe(true);
  });
});

describe('resolveByToken', () => {
  const none: AttributionCandidate = { id: 1, customer_key: null, key_state: null };
  const claimed: AttributionCandidate = { id: 2, customer_key: 'u1', key_state: 'claimed' };
  const verified: AttributionCandidate = { id: 3, customer_key: 'u1', key_state: 'verified' };

  test('returns null when neither the key nor the click matches', () => {
    expect(resolveByToken('u1', null, null)).toBeNull();
  });

  test('moves a claimed key to the customer of the given click', () => {
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

  test('does not move a claimed key to a customer who already has a verified key', () => {
    const other: AttributionCandidate = { id: 4, customer_key: 'u2', key_state: 'verified' };
    expect(resolveByToken('u1', claimed, other)).toEqual({
      customer: other,
      displaced: null,
      storesKey: false,
      note: 'customer_key_claim_passed_over',
    });
  });

  test('verifies a claimed key when the given click belongs to the same customer', () => {
    expect(resolveByToken('u1', claimed, claimed)).toMatchObject({
      customer: claimed,
      storesKey: true,
      note: null,
    });
  });

  test('stores the key when the customer of the click has none', () => {
    expect(resolveByToken('u1', null, none)).toMatchObject({ customer: none, storesKey: true, note: null });
    expect(resolveByToken(undefined, null, none)).toMatchObject({ customer: none, storesKey: false });
  });

  test("replaces a claimed key of the click's customer, but keeps a verified key", () => {
    const mine: AttributionCandidate = { id: 5, customer_key: 'typo', key_state: 'claimed' };
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
