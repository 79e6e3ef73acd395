import { Rejection } from '../rejection.ts';
import { proportion } from './money.ts';

/** The figures of a commission. */
export interface CommissionFigures {
  readonly amount_cents: number;
  readonly deducted_cents: number;
  /** Sum of the corrections by hand. */
  readonly adjusted_cents: number;
}

/** What is left of a commission after refunds and corrections. */
export function computeOpenCents(commission: CommissionFigures): number {
  return commission.amount_cents - commission.deducted_cents + commission.adjusted_cents;
}

/** What a refund takes from a commission. */
export interface Deduction {
  readonly status: 'reversed' | 'refunded';
  readonly deductionCents: number;
}

/**
 * A full refund (`refundAmountCents` 0) takes the whole commission; a partial one its share, rounded half up, at
 * most the whole. What a correction took before is not taken again; what one gave on top stays.
 */
export function computeDeduction(
  commission: CommissionFigures,
  saleAmountCents: number,
  refundAmountCents: number,
): Deduction | Rejection {
  const wholeCents = commission.amount_cents + Math.min(0, commission.adjusted_cents);
  if (refundAmountCents === 0) return { status: 'reversed', deductionCents: wholeCents };
  if (refundAmountCents > saleAmountCents) return new Rejection('refund_exceeds_sale');
  const share = proportion(commission.amount_cents, refundAmountCents, saleAmountCents);
  return { status: 'refunded', deductionCents: Math.min(share, wholeCents) };
}

/**
 * What has to be given back to a balance after a deduction, so that it stops at zero: only for a commission that
 * was not paid yet, and only for a balance that was not negative before.
 */
export function computeClamp(balanceBeforeCents: number, deductionCents: number, wasPaid: boolean): number {
  if (wasPaid || balanceBeforeCents < 0) return 0;
  return Math.max(0, deductionCents - balanceBeforeCents);
}
