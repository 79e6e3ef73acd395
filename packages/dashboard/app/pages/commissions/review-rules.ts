import type { Commission } from '../../api/types.ts';

/** Whether the API accepts an approval of the commission. */
export function canApprove({
  status,
  needs_approval,
  disputed,
}: Pick<Commission, 'status' | 'needs_approval' | 'disputed'>): boolean {
  return (status === 'pending' || needs_approval) && !disputed;
}

/** Whether the API accepts a rejection of the commission. */
export function canReject({ status, payout_id }: Pick<Commission, 'status' | 'payout_id'>): boolean {
  return (status === 'pending' || status === 'approved') && payout_id === null;
}

/** Whether the API accepts an adjustment of the commission. */
export function canAdjust({ status }: Pick<Commission, 'status'>): boolean {
  return status !== 'rejected';
}
