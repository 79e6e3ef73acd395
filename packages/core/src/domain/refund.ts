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

/** How a charge stands, as its processor counts: all refunds in all. */
export interface RefundedCharge {
  readonly refundedCents: number;
  /** Was all of the charge given back? */
  readonly isWhole: boolean;
  readonly currency: string;
}

/** What is new of a charge's refunds, as a refund of the sale. */
export type NewRefund =
  | { readonly kind: 'none' }
  /** `amountCents` 0 = all of the sale; `newCents` is what the processor says. */
  | { readonly kind: 'refund'; readonly amountCents: number; readonly newCents: number }
  /** Part of a payment in another currency says nothing of the sale's amount. */
  | { readonly kind: 'incomparable'; readonly newCents: number };

/**
 * A charge's refunds come as one growing sum, in any order: what the sale was told before, by the charge or otherwise,
 * is no news. More than the sale (tax, fees) is all of it.
 */
export function computeNewRefund(
  charge: RefundedCharge,
  toldCents: number,
  sale: { readonly amountCents: number; readonly currency: string },
): NewRefund {
  const newCents = charge.refundedCents - toldCents;
  if (newCents <= 0) return { kind: 'none' };
  const isAllOfCharge = charge.isWhole && toldCents === 0;
  if (charge.currency !== sale.currency) {
    return charge.isWhole ? { kind: 'refund', amountCents: 0, newCents } : { kind: 'incomparable', newCents };
  }
  const isAllOfSale = newCents > sale.amountCents || (isAllOfCharge && newCents === sale.amountCents);
  return { kind: 'refund', amountCents: isAllOfSale ? 0 : newCents, newCents };
}
