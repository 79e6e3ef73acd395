import { addUtcMonths, DAY_MS, utcDay } from './calendar.ts';
import { proportion } from './money.ts';

/** What a policy pays, and for how long a subscription goes on earning. */
export interface PolicyTerms {
  readonly type: 'percent' | 'flat';
  /** Basis points, for `percent` only. */
  readonly rateBps: number | null;
  /** For `flat` only, in the program's currency. */
  readonly amountCents: number | null;
  /** Null = for ever, 0 = the first payment only. */
  readonly recurringMonths: number | null;
}

/** One version of a policy, with the sales that it is for; null = any. */
export interface PolicyCandidate extends PolicyTerms {
  readonly versionId: number;
  readonly productId: string | null;
  readonly partnerId: number | null;
}

/** The most specific policy for a sale: product and partner, product, partner, program default. */
export function choosePolicy(
  candidates: readonly PolicyCandidate[],
  productId: string | null,
  partnerId: number,
): PolicyCandidate | null {
  const fitting = candidates.filter(
    (policy) =>
      (policy.productId === null || policy.productId === productId) &&
      (policy.partnerId === null || policy.partnerId === partnerId),
  );
  const weight = (policy: PolicyCandidate) =>
    (policy.productId === null ? 0 : 2) + (policy.partnerId === null ? 0 : 1);
  return fitting.reduce<PolicyCandidate | null>(
    (best, policy) => (best === null || weight(policy) > weight(best) ? policy : best),
    null,
  );
}

/** A percent commission is in the sale's currency, a flat one in the program's. */
export function computeCommission(
  terms: PolicyTerms,
  sale: { amountCents: number; currency: string },
  programCurrency: string,
): { amountCents: number; currency: string } {
  return terms.type === 'percent'
    ? { amountCents: proportion(sale.amountCents, terms.rateBps ?? 0, 10_000), currency: sale.currency }
    : { amountCents: terms.amountCents ?? 0, currency: programCurrency };
}

/** Is the sale within the attribution window, the last millisecond included? */
export function isInWindow(saleAt: number, lastClickAt: number, windowDays: number): boolean {
  return saleAt - lastClickAt <= windowDays * DAY_MS;
}

/**
 * Does a renewal still earn? It does through the whole UTC day that lies `recurringMonths` calendar months after
 * the subscription's first commission.
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
