export type CommissionStatus = 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded';

/** The part of a commission that decides whether a user may approve or reject it. */
export interface DecidableCommission {
  readonly status: CommissionStatus;
  readonly payout_id: number | null;
}

/**
 * `move`: change the status. `done`: it already has that status. `refusal`: the message that says why it
 * cannot change.
 */
export type StatusDecision = 'move' | 'done' | { readonly refusal: string };

/** Decides whether a commission may be approved: only a pending one can be. */
export function decideApproval(commission: DecidableCommission): StatusDecision {
  if (commission.status === 'pending') return 'move';
  if (commission.status === 'approved') return 'done';
  return refuse('approved', commission.status);
}

/** Decides whether a commission may be rejected: it must be pending or approved, and not part of a payout. */
export function decideRejection(commission: DecidableCommission): StatusDecision {
  if (commission.status === 'rejected') return 'done';
  if (commission.status !== 'pending' && commission.status !== 'approved') {
    return refuse('rejected', commission.status);
  }
  return commission.payout_id === null
    ? 'move'
    : { refusal: 'Commission is part of a payout and cannot be rejected' };
}

function refuse(wanted: string, status: CommissionStatus): StatusDecision {
  return { refusal: `Commission cannot be ${wanted}. Current status: ${status}` };
}
