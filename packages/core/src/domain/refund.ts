import { Rejection } from '../rejection.ts';
import { proportion } from './money.ts';

/** What a refund takes from a commission. */
export interface Deduction {
  readonly status: 'reversed' | 'refunded';
  readonly deductionCents: number;
}

/**
 * A full refund (`refundAmountCents` 0) takes the whole commission; a partial one its share, rounded half up, at
 * most the whole.
 */
export function computeDeduction(
  commissionCents: number,
  saleAmountCents: number,
  refundAmountCents: number,
): Deduction | Rejection {
  if (refundAmountCents === 0) return { status: 'reversed', deductionCents: commissionCents };
  if (refundAmountCents > saleAmountCents) return new Rejection('refund_exceeds_sale');
  const share = proportion(commissionCents, refundAmountCents, saleAmountCents);
  return { status: 'refunded', deductionCents: Math.min(share, commissionCents) };
}

/**
 * What has to be given back to a balance after a deduction, so that it stops at zero: only for a commission that
 * was not paid yet, and only for a balance that was not negative before.
 */
export function computeClamp(balanceBeforeCents: number, deductionCents: number, wasPaid: boolean): number {
  if (wasPaid || balanceBeforeCents < 0) return 0;
  return Math.max(0, deductionCents - balanceBeforeCents);
}
