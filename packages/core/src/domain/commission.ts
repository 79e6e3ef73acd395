import { addUtcMonths, DAY_MS, utcDay } from './calendar.ts';
import { proportion } from './money.ts';

/** The rate or amount that a policy pays, and how long renewals of a subscription earn a commission. */
export interface PolicyTerms {
  readonly type: 'percent' | 'flat';
  /** The rate in basis points (2000 is 20%). Null unless the type is `percent`. */
  readonly rateBps: number | null;
  /** The amount in the smallest unit of the program's currency. Null unless the type is `flat`. */
  readonly amountCents: number | null;
  /**
   * Renewals earn for this number of calendar months after the first commission. Null means no limit; with 0,
   * only the first payment earns.
   */
  readonly recurringMonths: number | null;
}

/** One version of a policy and the sales that it applies to. */
export interface PolicyCandidate extends PolicyTerms {
  readonly versionId: number;
  /** Null matches any product. */
  readonly productId: string | null;
  /** Null matches any partner. */
  readonly partnerId: number | null;
}

/**
 * Chooses the most specific policy that matches a sale. The order is: product and partner, only product, only
 * partner, the program's default.
 *
 * @returns null when no policy matches
 */
export function choosePolicy(
  candidates: readonly PolicyCandidate[],
  productId: string | null,
  partnerId: number,
): PolicyCandidate | null {
  const matching = candidates.filter(
    (policy) =>
      (policy.productId === null || policy.productId === productId) &&
      (policy.partnerId === null || policy.partnerId === partnerId),
  );
  const specificity = (policy: PolicyCandidate) =>
    (policy.productId === null ? 0 : 2) + (policy.partnerId === null ? 0 : 1);
  return matching.reduce<PolicyCandidate | null>(
    (best, policy) => (best === null || specificity(policy) > specificity(best) ? policy : best),
    null,
  );
}

/**
 * Computes the commission of a sale. A percent commission has the sale's currency, and a flat commission has
 * the program's.
 */
export function computeCommission(
  terms: PolicyTerms,
  sale: { amountCents: number; currency: string },
  programCurrency: string,
): { amountCents: number; currency: string } {
  return terms.type === 'percent'
    ? { amountCents: proportion(sale.amountCents, terms.rateBps ?? 0, 10_000), currency: sale.currency }
    : { amountCents: terms.amountCents ?? 0, currency: programCurrency };
}

/** Whether a sale lies within the attribution window. The window includes its last millisecond. */
export function isInWindow(saleAt: number, lastClickAt: number, windowDays: number): boolean {
  return saleAt - lastClickAt <= windowDays * DAY_MS;
}

/**
 * Whether a renewal still earns a commission. Renewals earn until the end of the UTC day that is
 * `recurringMonths` calendar months after the subscription's first commission.
 */
export function isRenewalEarning(
  saleAt: number,
  firstCommissionAt: number,
  recurringMonths: number | null,
): boolean {
  if (recurringMonths === null) return true;
  if (recurringMonths === 0) return false;
  return utcDay(saleAt) <= utcDay(addUtcMonths(firstCommissionAt, recurringMonths));
}

/** Returns the terms under which renewals earn for the longest time. */
export function findLongestTerms<T extends PolicyTerms>([first, ...others]: readonly T[]): T | undefined {
  const monthsOf = (terms: T) => terms.recurringMonths ?? Number.POSITIVE_INFINITY;
  return first && others.reduce((best, one) => (monthsOf(one) > monthsOf(best) ? one : best), first);
}
