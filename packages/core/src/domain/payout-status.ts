import type { StatusDecision } from './commission-status.ts';

export type PayoutStatus = 'pending' | 'paid' | 'cancelled';

/** A pending payout is paid or cancelled, once; what stands so already is done. */
export function decidePayout(status: PayoutStatus, wanted: 'paid' | 'cancelled'): StatusDecision {
  if (status === wanted) return 'done';
  if (status === 'pending') return 'move';
  return { refusal: `Payout cannot be ${wanted}. Current status: ${status}` };
}
