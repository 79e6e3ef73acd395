import { Rejection } from '../rejection.ts';
import { proportion } from './money.ts';

/** The amounts of a commission, all in the smallest unit of its currency. */
export interface CommissionFigures {
  readonly amount_cents: number;
  /** The sum that refunds deducted. */
  readonly deducted_cents: number;
  /** The sum of the manual adjustments, which may be negative. */
  readonly adjusted_cents: number;
}

/** What remains of a commission after refunds and adjustments. */
export function computeOpenCents(commission: CommissionFigures): number {
  return commission.amount_cents - commission.deducted_cents + commission.adjusted_cents;
}

/** What a refund deducts from a commission, and the status that the commission gets. */
export interface Deduction {
  readonly status: 'reversed' | 'refunded';
  readonly deductionCents: number;
}

/**
 * Computes what a refund deducts from a commission. A full refund (`refundAmountCents` 0) deducts all of it.
 * A partial refund deducts its share of the sale, rounded half up. An amount that a manual adjustment already
 * took away is not deducted again, and an amount that an adjustment added is kept.
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
 * Computes what must be added back to a balance after a deduction so that it stops at zero. Nothing is added
 * back when the commission was already paid or the balance was already negative.
 */
export function computeClamp(balanceBeforeCents: number, deductionCents: number, wasPaid: boolean): number {
  if (wasPaid || balanceBeforeCents < 0) return 0;
  return Math.max(0, deductionCents - balanceBeforeCents);
}

/** The refund state of a charge, as the payment processor reports it. */
export interface RefundedCharge {
  /** The total of all refunds of the charge so far. */
  readonly refundedCents: number;
  /** Whether the whole charge is refunded. */
  readonly isWhole: boolean;
  readonly currency: string;
}

/** The part of a charge's refunds that was not applied to the sale yet. */
export type NewRefund =
  | { readonly kind: 'none' }
  /**
   * `amountCents` is what to refund of the sale, where 0 means all of it. `newCents` is the processor's own
   * figure.
   */
  | { readonly kind: 'refund'; readonly amountCents: number; readonly newCents: number }
  /** A partial refund in another currency than the sale, whose share of the sale cannot be computed. */
  | { readonly kind: 'incomparable'; readonly newCents: number };

/**
 * Computes what to refund of a sale from the charge's refund total. A processor reports a growing total, and
 * its events may arrive in any order, so a total that is not above `appliedCents` is not new. A refund above
 * the sale, because the charge included tax or fees, refunds the whole sale.
 *
 * @param appliedCents what was already applied to the sale, by this charge or otherwise
 */
export function computeNewRefund(
  charge: RefundedCharge,
  appliedCents: number,
  sale: { readonly amountCents: number; readonly currency: string },
): NewRefund {
  const newCents = charge.refundedCents - appliedCents;
  if (newCents <= 0) return { kind: 'none' };
  const isAllOfCharge = charge.isWhole && appliedCents === 0;
  if (charge.currency !== sale.currency) {
    return charge.isWhole ? { kind: 'refund', amountCents: 0, newCents } : { kind: 'incomparable', newCents };
  }
  const isAllOfSale = newCents > sale.amountCents || (isAllOfCharge && newCents === sale.amountCents);
  return { kind: 'refund', amountCents: isAllOfSale ? 0 : newCents, newCents };
}
