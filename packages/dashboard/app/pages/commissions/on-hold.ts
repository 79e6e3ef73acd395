import type { Commission } from '../../api/types.ts';
import { type CommissionSums, netCentsOf } from '../../ui/net-sums.ts';

/** Whether the commission is still on hold. If it was refunded in part, the rest of its amount stays on hold. */
export function isOnHold(
  commission: CommissionSums & Pick<Commission, 'approved_at' | 'payout_id'>,
): boolean {
  const { status, approved_at, payout_id } = commission;
  const isRest = status === 'refunded' && approved_at === null && payout_id === null;
  return status === 'pending' || (isRest && netCentsOf(commission) > 0);
}
