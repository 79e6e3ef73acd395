import type { StatusDecision } from './commission-status.ts';

export type PayoutStatus = 'pending' | 'paid' | 'cancelled';

/**
 * Decides whether a payout may get the status `wanted`. Only a pending payout may; a payout that already has
 * the status does not change.
 */
export function decidePayout(status: PayoutStatus, wanted: 'paid' | 'cancelled'): StatusDecision {
  if (status === wanted) return 'done';
  if (status === 'pending') return 'move';
  return { refusal: `Payout cannot be ${wanted}. Current status: ${status}` };
}
