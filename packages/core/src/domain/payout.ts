import type { Decision } from './commission-status.ts';

export type PayoutStatus = 'pending' | 'paid' | 'cancelled';

/** What a partner is owed in a program, in one currency. */
export interface Standing {
  /** Payouts in progress included, clawbacks and corrections counted. */
  readonly balanceCents: number;
  /** In pending payouts. */
  readonly pendingCents: number;
  /** Left of commissions that are unpaid, in no payout, and not payable yet. */
  readonly withheldCents: number;
}

/** What a payout takes now. What is clawed back is netted off; a debt that is left is carried to the next one. */
export function computePayableCents({ balanceCents, pendingCents, withheldCents }: Standing): number {
  return Math.max(0, balanceCents - pendingCents - withheldCents);
}

/** A pending payout is marked as paid. */
export function decidePayment(status: PayoutStatus): Decision {
  return decide(status, 'paid', 'marked as paid');
}

/** A pending payout is cancelled. */
export function decideCancellation(status: PayoutStatus): Decision {
  return decide(status, 'cancelled', 'cancelled');
}

function decide(status: PayoutStatus, wanted: PayoutStatus, verb: string): Decision {
  if (status === 'pending') return 'move';
  return status === wanted ? 'done' : { refusal: `Payout cannot be ${verb}. Current status: ${status}` };
}
