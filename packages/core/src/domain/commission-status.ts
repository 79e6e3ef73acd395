import { type CommissionFigures, computeOpenCents } from './refund.ts';

export type CommissionStatus = 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded';

/** The fields that determine whether a user may approve or reject a commission. */
export interface DecidableCommission extends CommissionFigures {
  readonly status: CommissionStatus;
  readonly payout_id: number | null;
  readonly needs_approval: 0 | 1;
  readonly approved_at: number | null;
  readonly disputed: 0 | 1;
}

/**
 * Whether a status may change.
 * - `change`: The change is allowed.
 * - `done`: The status already has the new value.
 * - `rejectionMessage`: The change is not allowed, for the reason in the message.
 */
export type StatusDecision = 'change' | 'done' | { readonly rejectionMessage: string };

/**
 * Decides whether a commission may be approved. A pending commission may be approved. The rest of a refunded
 * or reversed commission may be approved too, if it needs an approval. A disputed commission must not be
 * approved.
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
  return isDone ? 'done' : statusChangeRejection('approved', status);
}

/** Whether the commission, or what is left of it after refunds, still needs the approval of a user. */
export function isInReview(commission: DecidableCommission): boolean {
  const { status, needs_approval, approved_at } = commission;
  if (needs_approval === 0 || approved_at !== null || status === 'rejected') return false;
  // After refunds and corrections, a refunded or reversed commission may have nothing left to approve.
  return (status !== 'refunded' && status !== 'reversed') || computeOpenCents(commission) > 0;
}

/**
 * Decides whether a commission may be rejected. It must be pending or approved, and must not be part of a
 * payout.
 */
export function decideRejection(commission: DecidableCommission): StatusDecision {
  if (commission.status === 'rejected') return 'done';
  if (commission.status !== 'pending' && commission.status !== 'approved') {
    return statusChangeRejection('rejected', commission.status);
  }
  return commission.payout_id === null
    ? 'change'
    : { rejectionMessage: 'Commission is part of a payout and cannot be rejected' };
}

function statusChangeRejection(newStatus: string, status: CommissionStatus): StatusDecision {
  return { rejectionMessage: `Commission cannot be ${newStatus}. Current status: ${status}` };
}

/** Returns the new status of a commission after the refunded total of its sale has changed. */
export function statusAfterRefund(
  commission: { readonly approved_at: number | null; readonly paid_at: number | null },
  saleAmountCents: number,
  refundedCents: number,
): CommissionStatus {
  if (refundedCents >= saleAmountCents) return 'reversed';
  if (refundedCents > 0) return 'refunded';
  if (commission.paid_at !== null) return 'paid';
  return commission.approved_at === null ? 'pending' : 'approved';
}
