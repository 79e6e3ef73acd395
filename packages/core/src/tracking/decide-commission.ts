import { choosePolicy, isInWindow, isRenewalEarning, type PolicyCandidate } from '../domain/commission.ts';
import { type CommissionPart, splitCommission, type WeightedProduct } from '../domain/commission-parts.ts';
import type { NoCommissionReason } from '../storage/database/schema.ts';
import type { FirstCommission } from '../storage/money/commissions.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';

/** The fields of a sale that determine its commission. The outbox stores them as JSON. */
export interface CommissionBasis {
  readonly amountCents: number;
  /**
   * The part of the amount from which a percent commission is computed. Missing in repair jobs that older versions
   * of Affkit stored. The commission is then computed from the whole amount.
   */
  readonly baseCents?: number;
  readonly currency: string;
  /** Null when the sale has no product or several products. */
  readonly productId: string | null;
  /** The products of a sale with several products. Missing if `productId` covers the whole sale. */
  readonly products?: readonly WeightedProduct[];
  readonly subscriptionId: string | null;
  /**
   * Whether the sender reported the sale as a renewal. A missing value counts as false, for example in repair jobs that
   * older versions of Affkit stored.
   */
  readonly isRecurring?: boolean;
  readonly saleAt: number;
  readonly customerId: number;
  readonly partnerId: number;
  readonly lastClickAt: number;
  /**
   * Whether the sale was attributed only by a customer key that a browser has set. A missing value counts as
   * false, for example in repair jobs that older versions of Affkit stored.
   */
  readonly isKeyClaimed?: boolean;
}

/** The terms and the amount of a commission that is not stored yet. The outbox stores them as JSON. */
export interface CommissionPlan {
  readonly policyVersionId: number;
  /** The id of the first commission of the subscription. Null if the sale is not a renewal. */
  readonly firstCommissionId: number | null;
  /**
   * Whether a user must approve the commission. If false, the commission is released at the end of the hold.
   * Missing in repair jobs that older versions of Affkit stored (see `repair-commission.ts`).
   */
  readonly needsApproval?: boolean;
  readonly amountCents: number;
  readonly currency: string;
  /**
   * One part per policy, if several policies cover the sale. `policyVersionId` then belongs to the policy that
   * covers the largest part of the sale.
   */
  readonly parts?: readonly CommissionPart[];
}

/** The policies and terms that determine the commission of a sale. */
export interface CommissionRules {
  /** The active policies of the sale's program. */
  readonly policies: readonly PolicyCandidate[];
  /**
   * The first commission of the sale's subscription, or the imported commission that the sale renews. Null when the
   * sale is not a renewal.
   */
  readonly first: FirstCommission | null;
}

export type CommissionDecision =
  | { readonly kind: 'commission'; readonly plan: CommissionPlan }
  | { readonly kind: 'no_commission'; readonly reason: NoCommissionReason }
  /** No policy applies. This is a bug, because a program always has a default policy. */
  | { readonly kind: 'no_policy' };

type CommissionProgram = Pick<
  ProgramAccount,
  'currency' | 'cookieWindowDays' | 'minSaleCents' | 'claimedKeys'
>;

/**
 * Decides the commission of a sale. A sale of 0 or below the program's minimum earns no commission.
 *
 * A renewal is a sale whose subscription already has a commission, or that renews an imported commission. The
 * attribution window does not apply to renewals. The terms of the subscription's first commission, or of the imported
 * commission, decide how much a renewal earns, and for how many months renewals earn. Any other sale must be within
 * the window. The terms of the most specific policy decide how much it earns. If the sale has several products, the
 * policy is chosen for each product.
 */
export function decideCommission(
  program: CommissionProgram,
  basis: CommissionBasis,
  { policies, first }: CommissionRules,
): CommissionDecision {
  if (basis.amountCents === 0) return { kind: 'no_commission', reason: 'zero_amount' };
  if (basis.amountCents < program.minSaleCents) return { kind: 'no_commission', reason: 'below_min_sale' };
  if (first) {
    const termsOf = (productId: string | null) => {
      const terms = first.termsOf(productId);
      return isRenewalEarning(basis.saleAt, first.commissionAt, terms.recurringMonths) ? terms : null;
    };
    const plan = planCommission(termsOf, basis, program, first.id);
    return plan ? { kind: 'commission', plan } : { kind: 'no_commission', reason: 'recurring_ended' };
  }
  if (!isInWindow(basis.saleAt, basis.lastClickAt, program.cookieWindowDays)) {
    return { kind: 'no_commission', reason: 'window_expired' };
  }
  const termsOf = (productId: string | null) => choosePolicy(policies, productId, basis.partnerId);
  const plan = planCommission(termsOf, basis, program, null);
  return plan ? { kind: 'commission', plan } : { kind: 'no_policy' };
}

/** @returns null when no product of the sale has terms */
function planCommission(
  termsOf: (productId: string | null) => PolicyCandidate | null,
  basis: CommissionBasis,
  program: CommissionProgram,
  firstCommissionId: number | null,
): CommissionPlan | null {
  const { amountCents, baseCents = amountCents, currency, productId } = basis;
  const products = basis.products ?? [{ productId, weight: 1 }];
  const commission = splitCommission(products, { baseCents, currency }, program.currency, termsOf);
  if (!commission) return null;
  return {
    firstCommissionId,
    needsApproval: basis.isKeyClaimed === true && program.claimedKeys === 'review',
    ...commission,
  };
}
