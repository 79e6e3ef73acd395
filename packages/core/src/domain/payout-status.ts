import type { StatusDecision } from './commission-status.ts';

export type PayoutStatus = 'pending' | 'paid' | 'cancelled';

/**
 * Decides whether a payout may get a new status. Only a pending payout may. A payout that already has the
 * status does not change.
 */
export function decidePayout(status: PayoutStatus, newStatus: 'paid' | 'cancelled'): StatusDecision {
  if (status === newStatus) return 'done';
  if (status === 'pending') return 'change';
  return { rejectionMessage: `Payout cannot be ${newStatus}. Current status: ${status}` };
}
