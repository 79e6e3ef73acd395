import { choosePolicy, type PolicyCandidate } from './commission.ts';
import { formatMoney } from './money.ts';

/** Whether a policy determined the commission of a sale, or why it did not. */
export type PolicyVerdict = 'chosen' | 'less_specific' | 'other_product' | 'other_partner';

/**
 * Returns why a policy was chosen or not.
 * @param chosen the policies that the commission was computed with
 * @param sale the ids of the products that have a share of the sale, and its partner
 */
export function judgePolicy(
  policy: PolicyCandidate,
  chosen: readonly PolicyCandidate[],
  { productIds, partnerId }: { readonly productIds: readonly (string | null)[]; readonly partnerId: number },
): PolicyVerdict {
  if (chosen.some(({ versionId }) => versionId === policy.versionId)) return 'chosen';
  const isLessSpecific = productIds.some(
    (productId) =>
      choosePolicy([policy], productId, partnerId) !== null &&
      choosePolicy([...chosen, policy], productId, partnerId) !== policy,
  );
  if (isLessSpecific) return 'less_specific';
  const isOtherPartner = policy.partnerId !== null && policy.partnerId !== partnerId;
  const isSold = policy.productId === null || productIds.includes(policy.productId);
  return isOtherPartner && isSold ? 'other_partner' : 'other_product';
}

/**
 * Explains why a sale is within the attribution window.
 * @param days from the click to the sale; null if the time of the click is unknown
 * @param hasPartner false for a simulated sale without a chosen partner
 */
export function explainWindow(days: number | null, hasPartner = true): string {
  const link = hasPartner ? 'this partner’s link' : 'a partner’s link';
  return `The sale was made ${describeDays(days)} after the last click on ${link}, within the attribution window.`;
}

/** Explains why a sale that happened before the partner's last click is within the attribution window. */
export function explainEarlierSale(): string {
  return 'The sale is dated before the last click on this partner’s link, because it was reported later. Such a sale counts as within the attribution window.';
}

/**
 * Explains which policy determined the whole commission.
 * @param others the number of other, less specific policies that also matched
 * @param isShared whether it applied to products that have a policy of their own; see `isSharedPolicy`
 */
export function explainPolicy(
  policy: PolicyCandidate,
  currency: string,
  others: number,
  isShared: boolean,
): string {
  const name = `${describePolicy(policy)} (${describeTerms(policy, currency)})`;
  return isShared
    ? `${name} applied to all products, because it covers the largest part of the sale. The policies of the products pay in different currencies, but a commission has only one currency.`
    : `${name} applied, because it is ${describeChoice(others)}.`;
}

/**
 * Whether the chosen policy also applied to products that have a policy of their own. This happens only if a percentage
 * and a flat amount would be paid in different currencies. A percentage is paid in the currency of the sale.
 * @param policies the policies that were active
 * @param programCurrency the currency of flat amounts
 */
export function isSharedPolicy(
  chosen: PolicyCandidate,
  policies: readonly PolicyCandidate[],
  {
    productIds,
    partnerId,
    currency,
  }: {
    readonly productIds: readonly (string | null)[];
    readonly partnerId: number;
    readonly currency: string;
  },
  programCurrency: string,
): boolean {
  if (currency === programCurrency) return false;
  const own = productIds.map((productId) => choosePolicy(policies, productId, partnerId));
  return own.includes(chosen) && own.some((policy) => policy !== null && policy.type !== chosen.type);
}

/** Explains why a renewal still earns a commission. @param months null when there is no limit */
export function explainRenewal(months: number | null): string {
  const period = months === null ? 'without a time limit' : `for ${formatMonthCount(months)} after it`;
  return `This payment renews a subscription that has already earned a commission. Renewals do not depend on the attribution window. They earn on the same terms as the subscription’s first commission, ${period}.`;
}

/**
 * Explains the amount of a commission. The amount of the sale is left out, because partners read the text
 * too.
 */
export function explainAmount(commission: {
  readonly amountCents: number;
  readonly currency: string;
  readonly hasParts: boolean;
  /** Whether tax and shipping are excluded from the base. */
  readonly isNet: boolean;
}): string {
  const { amountCents, currency } = commission;
  return [
    ...(commission.hasParts
      ? ['The commission is the sum of its parts: each product earns by its own policy.']
      : []),
    ...(commission.isNet ? ['The program pays commissions on the amount without tax and shipping.'] : []),
    `The commission is ${formatMoney(amountCents, currency)}.`,
  ].join(' ');
}

export function explainExpiredWindow(days: number | null, windowDays: number | null): string {
  return `The sale was made ${describeDays(days)} after the last click on a link of the customer’s partner. The attribution window was ${describeDays(windowDays)}, so the sale earns no commission.`;
}

/**
 * Explains why a renewal no longer earns a commission.
 * @param months null when the subscription's first commission is not known
 */
export function explainRecurringEnd(months: number | null): string {
  const end =
    months === null
      ? 'that no longer earns commissions.'
      : months === 0
        ? 'that earns a commission only for its first payment.'
        : `that earns commissions for ${formatMonthCount(months)} after its first commission. This period is over.`;
  return `This payment renews a subscription ${end}`;
}

export function explainMinimum(minSaleCents: number, currency: string): string {
  return `The sale is below the program’s minimum, which was ${formatMoney(minSaleCents, currency)}, so it earns no commission.`;
}

export const ZERO_AMOUNT_WHY =
  'A discount covered the whole price. Nothing was paid, so the sale earns no commission.';

function describePolicy({ productId, partnerId }: PolicyCandidate): string {
  if (productId !== null) {
    return partnerId === null ? 'The policy for this product' : 'The policy for this product and partner';
  }
  return partnerId === null ? 'The program’s default policy' : 'The policy for this partner';
}

function describeTerms({ type, rateBps, amountCents }: PolicyCandidate, currency: string): string {
  return type === 'percent' ? `${(rateBps ?? 0) / 100}%` : formatMoney(amountCents ?? 0, currency);
}

function describeChoice(others: number): string {
  if (others === 0) return 'the only policy that matches the sale';
  return others === 1
    ? 'more specific than the other policy that matches the sale'
    : `more specific than the ${others} other policies that match the sale`;
}

function formatMonthCount(months: number): string {
  return `${months} ${months === 1 ? 'month' : 'months'}`;
}

function describeDays(days: number | null): string {
  if (days === null) return 'an unknown time';
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}
