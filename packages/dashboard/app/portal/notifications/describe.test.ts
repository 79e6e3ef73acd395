import { expect, test } from 'vitest';
import type { PortalNotification } from '../../api/types.ts';
import { describePortalNotification } from './describe.ts';

const describe = (kind: string, details: PortalNotification['details'] = {}) =>
  describePortalNotification({
    id: 1,
    workspace_id: 1,
    program_id: 1,
    partner_id: 1,
    kind,
    details,
    read_at: null,
    created_at: '2026-11-03T12:00:00.000Z',
  });

test('names the amount, the reason, and the commission', () => {
  const details = { commission_id: 17, deduction_cents: 400, currency: 'USD', reason: 'Sent back' };
  expect(describe('commission_refunded', details)).toEqual({
    title: 'A refund reduced a commission',
    text: 'The sale was refunded in part, so $4.00 of commission #17 was taken back. Reason: Sent back',
    subject: { kind: 'commission', id: 17 },
  });
  const lowered = { commission_id: 17, amount_cents: -400, currency: 'USD', reason: 'Typo' };
  expect(describe('commission_adjusted', lowered).text).toContain('lowered commission #17 by $4.00');
  expect(describe('payout_details_changed', { changed_fields: ['iban', 'x'] }).text).toContain(
    'Changed: IBAN and an unknown field.',
  );
  expect(describe('payout_details_changed', { changed_fields: [] }).text).toContain(
    'Your payout details were deleted.',
  );
});

test.each([
  'commission_reversed',
  'commission_refunded',
  'commission_restored',
  'commission_rejected',
  'commission_adjusted',
  'commission_disputed',
  'commission_released',
  'payout_paid',
  'payout_details_changed',
  'application_approved',
  'application_rejected',
  'a_later_kind',
])('a notification of the kind %s has a text, even without details', (kind) => {
  const { title, text } = describe(kind);
  expect(title).not.toContain('_');
  expect(text).not.toMatch(/undefined|null|NaN/);
});
