import { expect, test } from 'vitest';
import type { PortalCommission } from '../../api/types.ts';
import { isOnHold } from './on-hold.ts';

const PENDING = {
  status: 'pending',
  amount_cents: 1500,
  deducted_cents: 0,
  adjusted_cents: 0,
  approved_at: null,
  payout_id: null,
} as PortalCommission;
const REFUNDED: PortalCommission = { ...PENDING, status: 'refunded', deducted_cents: 375 };

test.each([
  [true, 'waits', PENDING],
  [true, 'was refunded in part and waits', REFUNDED],
  [false, 'was refunded in part after its hold', { ...REFUNDED, approved_at: '2026-11-01T00:00:00.000Z' }],
  [false, 'was refunded in part and is in a payout', { ...REFUNDED, payout_id: 7 }],
  [false, 'was refunded in full', { ...REFUNDED, deducted_cents: 1500 }],
  [false, 'was paid', { ...PENDING, status: 'paid' }],
] satisfies [boolean, string, PortalCommission][])(
  'isOnHold returns %s for a commission that %s',
  (held, _, row) => {
    expect(isOnHold(row)).toBe(held);
  },
);
