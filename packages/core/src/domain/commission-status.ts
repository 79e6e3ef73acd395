import { type CommissionFigures, computeOpenCents } from './refund.ts';

export type CommissionStatus = 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded';

/** The part of a commission that decides whether a user may approve or reject it. */
export interface DecidableCommission extends CommissionFigures {
  readonly status: CommissionStatus;
  readonly payout_id: number | null;
  readonly needs_approval: 0 | 1;
  readonly approved_at: number | null;
  readonly disputed: 0 | 1;
}

/**
 * Whether a status may change.
 * - `change`: it may.
 * - `done`: it already has the new value.
 * - `rejectionMessage`: it must not, for the reason in this message.
 */
export type StatusDecision = 'change' | 'done' | { readonly rejectionMessage: string };

/**
 * Decides whether a commission may be approved: a pending commission may, and so may the rest of a refunded
 * or reversed commission that needs an approval. A disputed commission may not.
 */
export function decideApproval(commission: DecidableCommission): StatusDecision {
  const decision = decideByStatus(commission);
  return decision === 'change' && commission.disputed === 1
    ? { rejectionMessage: 'Commission is disputed. It can be approved when the dispute has ended.' }
    : decision;
}

function decideByStatus(commission: DecidableCommission): StatusDecision {
  const { status, needs_approval, approved_at } = commission;
  if (status === 'pending' || isInReview(commission)) return 'change';
  const isRefunded = status === 'refunded' || status === 'reversed';
  const isDone = status === 'approved' || (isRefunded && needs_approval === 1 && approved_at !== null);
  return isDone ? 'done' : rejectStatusChange('approved', status);
}

/** Whether the rest of the commission becomes payable only through an approval by hand. */
export function isInReview(commission: DecidableCommission): boolean {
  const { status, needs_approval, approved_at } = commission;
  if (needs_approval === 0 || approved_at !== null || status === 'rejected') return false;
  // Refunds and corrections may leave nothing to approve of a refunded or reversed commission.
  return (status !== 'refunded' && status !== 'reversed') || computeOpenCents(commission) > 0;
}

/** Decides whether a commission may be rejected: it must be pending or approved, and not part of a payout. */
export function decideRejection(commission: DecidableCommission): StatusDecision {
  if (commission.status === 'rejected') return 'done';
  if (commission.status !== 'pending' && commission.status !== 'approved') {
    return rejectStatusChange('rejected', commission.status);
  }
  return commission.payout_id === null
    ? 'change'
    : { rejectionMessage: 'Commission is part of a payout and cannot be rejected' };
}

function rejectStatusChange(newStatus: string, status: CommissionStatus): StatusDecision {
  return { rejectionMessage: `Commission cannot be ${newStatus}. Current status: ${status}` };
}
