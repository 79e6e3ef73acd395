import type { StatusDecision } from './commission-status.ts';

export type PayoutStatus = 'pending' | 'paid' | 'cancelled';

/**
 * Decides whether the status of a payout may change. Only a pending payout may change. If the payout already
 * has the new status, the result is `done`.
 */
export function decidePayout(status: PayoutStatus, newStatus: 'paid' | 'cancelled'): StatusDecision {
  if (status === newStatus) return 'done';
  if (status === 'pending') return 'change';
  return { rejectionMessage: `Payout cannot be ${newStatus}. Current status: ${status}` };
}
