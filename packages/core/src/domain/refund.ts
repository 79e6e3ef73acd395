import { proportion } from './money.ts';

/** The amounts of a commission, all in the smallest unit of its currency. */
export interface CommissionFigures {
  readonly amount_cents: number;
  /** The sum of the deductions by refunds. */
  readonly deducted_cents: number;
  /** The sum of the manual adjustments, which may be negative. */
  readonly adjusted_cents: number;
}

/** What remains of a commission after refunds and adjustments. */
export function computeOpenCents(commission: CommissionFigures): number {
  return commission.amount_cents - commission.deducted_cents + commission.adjusted_cents;
}

/**
 * Computes what is deducted from a commission once `refundedCents` of its sale are refunded in total: their
 * share of the commission, rounded half up. Several refunds deduct the differences of this figure, so that
 * their sum is exact. An amount that a manual adjustment already took away is not deducted again, and an
 * amount that an adjustment added is kept.
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
 * Computes what must be added back to a balance after a deduction so that it stops at zero. Nothing is added
 * back when the commission was already paid or the balance was already negative.
 */
export function computeReturnedCents(
  balanceBeforeCents: number,
  deductionCents: number,
  wasPaid: boolean,
): number {
  if (wasPaid || balanceBeforeCents < 0) return 0;
  return Math.max(0, deductionCents - balanceBeforeCents);
}

/** A refund with an id of its own. */
export interface NamedRefund {
  readonly refundId: string;
  readonly amountCents: number;
}

/** All reports about the refunds of a sale, in cents of the sale's currency. */
export interface ReportedRefunds {
  /** Sum of the refunds that the API reported without an id. */
  readonly unnamedCents: number;
  /** The refunds that the API reported with an id. */
  readonly named: readonly NamedRefund[];
  /** Sum of the refunded totals of the sale's charges. */
  readonly chargesCents: number;
  /** Sum of the payment's lost disputes, which the processor does not report as refunds. @default 0 */
  readonly lostCents?: number;
  /** The refunds that the processor reported with an id, including failed ones. */
  readonly processed: readonly (NamedRefund & { readonly isFailed: boolean })[];
}

/** Whether an id has the form of Stripe's ids of refunds. */
function isStripeRefund(refundId: string): boolean {
  return /^(?:re|pyr)_/.test(refundId);
}

/**
 * Computes how much of a sale is refunded in total. The result does not depend on the order of the reports.
 *
 * - Each refund id counts once, even if both the API and the processor report it.
 * - The refunded total of a charge, and a refund that the API reports without an id, name no refunds. They
 *   are assumed to include the refunds that are known by Stripe's id.
 * - Any other id comes from the advertiser. It names a refund that the processor does not know, so it is
 *   added to the processor's refunds.
 * - A refund that failed is subtracted.
 * - A lost dispute is added.
 */
export function computeRefundedCents(reported: ReportedRefunds): number {
  const { unnamedCents, named, chargesCents, lostCents = 0, processed } = reported;
  const stripe = named.filter(({ refundId }) => isStripeRefund(refundId));
  const distinct = new Map([...stripe, ...processed].map((refund) => [refund.refundId, refund.amountCents]));
  const grossCents = Math.max(
    sumRefundAmounts([...distinct.values()]),
    chargesCents,
    unnamedCents + sumRefundAmounts(stripe.map(({ amountCents }) => amountCents)),
  );
  const otherCents =
    sumRefundAmounts(named.map(({ amountCents }) => amountCents)) -
    sumRefundAmounts(stripe.map((one) => one.amountCents));
  const failedCents = sumRefundAmounts(
    processed.filter(({ isFailed }) => isFailed).map((one) => one.amountCents),
  );
  return Math.max(0, grossCents - failedCents + otherCents) + lostCents;
}

function sumRefundAmounts(amounts: readonly number[]): number {
  return amounts.reduce((total, cents) => total + cents, 0);
}
