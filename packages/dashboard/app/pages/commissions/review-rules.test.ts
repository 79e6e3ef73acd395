import { expect, test } from 'vitest';
import type { Commission } from '../../api/types.ts';
import { canAdjust, canApprove, canReject } from './review-rules.ts';

type Reviewed = Parameters<typeof canApprove>[0] & Parameters<typeof canReject>[0];

const PENDING: Reviewed = { status: 'pending', needs_approval: false, disputed: false, payout_id: null };

test.each<[Partial<Commission>, boolean, boolean]>([
  [{}, true, true],
  [{ needs_approval: true }, true, true],
  [{ disputed: true }, false, true],
  [{ status: 'approved' }, false, true],
  [{ status: 'approved', payout_id: 7 }, false, false],
  [{ status: 'paid', payout_id: 7 }, false, false],
  [{ status: 'rejected' }, false, false],
  [{ status: 'reversed' }, false, false],
  [{ status: 'refunded' }, false, false],
  // The rest of a refunded commission may still need an approval.
  [{ status: 'refunded', needs_approval: true }, true, false],
])('a commission with %o can be approved: %s, rejected: %s', (fields, isApprovable, isRejectable) => {
  const commission: Reviewed = { ...PENDING, ...fields };
  expect(canApprove(commission)).toBe(isApprovable);
  expect(canReject(commission)).toBe(isRejectable);
});

test('a commission can be adjusted unless it was rejected', () => {
  const statuses = ['pending', 'approved', 'paid', 'rejected', 'refunded', 'reversed'] as const;
  expect(statuses.filter((status) => !canAdjust({ status }))).toEqual(['rejected']);
});
