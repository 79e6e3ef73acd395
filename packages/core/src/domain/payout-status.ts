import type { StatusDecision } from './commission-status.ts';

export type PayoutStatus = 'pending' | 'paid' | 'cancelled';

/**
 * Decides whether a payout may become `wanted`: only a pending one can, and a payout that already is stays as
 * it is.
 */
export function decidePayout(status: PayoutStatus, wanted: 'paid' | 'cancelled'): StatusDecision {
  if (status === wanted) return 'done';
  if (status === 'pending') return 'move';
  return { refusal: `Payout cannot be ${wanted}. Current status: ${status}` };
}
