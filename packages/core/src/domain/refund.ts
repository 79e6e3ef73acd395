import { proportion } from './money.ts';

/** The amounts of a commission, all in the smallest unit of its currency. */
export interface CommissionFigures {
  readonly amount_cents: number;
  /** The sum of the deductions for refunds. */
  readonly deducted_cents: number;
  /** The sum of the manual adjustments, which may be negative. */
  readonly adjusted_cents: number;
}

/** Returns the amount of a commission that is left after refunds and adjustments. */
export function computeOpenCents(commission: CommissionFigures): number {
  return commission.amount_cents - commission.deducted_cents + commission.adjusted_cents;
}

/**
 * Computes the total deduction from a commission when `refundedCents` of its sale have been refunded. The
 * deducted share of the commission equals the refunded share of the sale, rounded half up. Each refund deducts
 * the new total minus the previous total, so that rounding errors do not add up. An amount that an adjustment has
 * already deducted is not deducted again. An amount that an adjustment has added is not deducted.
 */
export function computeDeductedCents(
  commission: CommissionFigures,
  saleAmountCents: number,
  refundedCents: number,
): number {
  const wholeCents = Math.max(0, commission.amount_cents + Math.min(0, commission.adjusted_cents));
  if (refundedCents >= saleAmountCents) return wholeCents;
  return Math.min(proportion(commission.amount_cents, refundedCents, saleAmountCents), wholeCents);
}

/**
 * Computes the amount to add back to a balance after a deduction, so that the balance stops at zero. If the
 * commission was already paid, or the balance was already negative, the result is 0.
 */
export function computeClampCents(
  balanceBeforeCents: number,
  deductionCents: number,
  wasPaid: boolean,
): number {
  if (wasPaid || balanceBeforeCents < 0) return 0;
  return Math.max(0, deductionCents - balanceBeforeCents);
}

export interface NamedRefund {
  readonly refundId: string;
  readonly amountCents: number;
}

/** Everything that was reported about the refunds of a sale, in the smallest unit of the sale's currency. */
export interface ReportedRefunds {
  /** The sum of the refunds that were reported through Affkit's API without a refund id. */
  readonly unnamedCents: number;
  /** The refunds that were reported through Affkit's API with a refund id. */
  readonly named: readonly NamedRefund[];
  /**
   * The sum of the refunds that only the processor had reported when the API reported a refund of the rest of the
   * sale, with a Stripe id but without an amount. The amount of that API refund does not include them. @default 0
   */
  readonly coveredCents?: number;
  /** The sum of the refunded totals of the sale's charges. */
  readonly chargesCents: number;
  /** The sum of the payment's lost disputes. The processor does not report them as refunds. @default 0 */
  readonly lostCents?: number;
  /** The refunds that the payment processor reported with a refund id. Failed refunds are included. */
  readonly processed: readonly (NamedRefund & { readonly isFailed: boolean })[];
}

/** Whether Stripe created the refund. The processor knows only such refunds. */
export function isStripeRefund(refundId: string): boolean {
  return /^(?:re|pyr)_/.test(refundId);
}

/**
 * Computes how much of a sale is refunded in total. The result does not depend on the order of the reports.
 *
 * - Each refund id counts once, even if both the API and the processor report it.
 * - Three sums are assumed to describe the same refunds, so only the largest sum counts:
 *   1. the refunds with Stripe's ids
 *   2. the refunded totals of the charges
 *   3. the refunds that the API reported without an id or with Stripe's ids, plus `coveredCents`
 * - A refund whose id is not Stripe's was made by the advertiser. The processor does not know this refund, so
 *   its amount is added to the processor's refunds.
 * - The amount of a failed refund is subtracted.
 * - The amount of a lost dispute is added.
 */
export function computeRefundedCents(reported: ReportedRefunds): number {
  const { unnamedCents, named, coveredCents = 0, chargesCents, lostCents = 0, processed } = reported;
  const stripe = named.filter(({ refundId }) => isStripeRefund(refundId));
  const distinct = new Map([...stripe, ...processed].map((refund) => [refund.refundId, refund]));
  const grossCents = Math.max(
    sumRefundAmounts([...distinct.values()]),
    chargesCents,
    unnamedCents + sumRefundAmounts(stripe) + coveredCents,
  );
  const otherCents = sumRefundAmounts(named) - sumRefundAmounts(stripe);
  const failedCents = sumRefundAmounts(processed.filter(({ isFailed }) => isFailed));
  return Math.max(0, grossCents - failedCents + otherCents) + lostCents;
}

function sumRefundAmounts(refunds: readonly NamedRefund[]): number {
  return refunds.reduce((total, { amountCents }) => total + amountCents, 0);
}
