export type CommissionStatus = 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded';

/** What decides whether a commission may be approved or rejected by hand. */
export interface DecidableCommission {
  readonly status: CommissionStatus;
  readonly payout_id: number | null;
}

/** `done` = it stands so already; a text says why it can't be done. */
export type StatusDecision = 'move' | 'done' | { readonly refusal: string };

/** A pending commission becomes approved. */
export function decideApproval(commission: DecidableCommission): StatusDecision {
  if (commission.status === 'pending') return 'move';
  if (commission.status === 'approved') return 'done';
  return refuse('approved', commission.status);
}

/** What is not terminal and in no payout becomes rejected. */
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
