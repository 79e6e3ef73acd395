import { computeCommission, type PolicyCandidate } from './commission.ts';
import { proportion } from './money.ts';

/**
 * A product of a sale. The base of the sale is the amount from which the commission is computed. It is divided among
 * the products in proportion to `weight`.
 */
export interface WeightedProduct {
  readonly productId: string | null;
  readonly weight: number;
}

/** The part of a commission that one policy pays. */
export interface CommissionPart {
  readonly policyVersionId: number;
  readonly productIds: readonly (string | null)[];
  readonly baseCents: number;
  readonly amountCents: number;
}

/**
 * A commission and its parts. If several policies cover the sale, there is one part per policy. If one policy covers
 * the whole sale, there are no parts.
 */
export interface SplitCommission {
  /** The policy that covers the largest part of the base. */
  readonly policyVersionId: number;
  readonly amountCents: number;
  readonly currency: string;
  readonly parts: readonly CommissionPart[];
}

interface ProductGroup {
  readonly terms: PolicyCandidate;
  readonly productIds: readonly (string | null)[];
  readonly weight: number;
}

/**
 * Computes the commission of a sale with several products. All products with the same policy form one part,
 * so a flat amount is paid once per policy. The base, including any shipping, is divided in proportion to the
 * weights. Each part is rounded, and the commission is the sum of the parts. The result does not depend on
 * the order of the products.
 *
 * A commission has only one currency. If the policies would pay in different currencies, the result has no parts.
 * Instead, the policy with the largest base applies to the sum of the bases of all products that earn a commission.
 * @param termsOf returns the policy of a product, or null when the product earns no commission
 * @returns null when no product earns a commission
 */
export function splitCommission(
  products: readonly WeightedProduct[],
  sale: { readonly baseCents: number; readonly currency: string },
  programCurrency: string,
  termsOf: (productId: string | null) => PolicyCandidate | null,
): SplitCommission | null {
  const groups = groupByPolicy(products, termsOf);
  const shares = divideAmount(
    sale.baseCents,
    groups.map(({ weight }) => weight),
  );
  const earning = groups.flatMap(({ terms, productIds }, index) => {
    const baseCents = shares[index] ?? 0;
    return terms === null ? [] : [{ terms, productIds, baseCents }];
  });
  const [first] = earning;
  if (!first) return null;
  const largest = earning.reduce((best, one) => (one.baseCents > best.baseCents ? one : best), first);
  const pay = (terms: PolicyCandidate, baseCents: number) =>
    computeCommission(terms, { amountCents: baseCents, currency: sale.currency }, programCurrency);
  const paid = earning.map((one) => ({ ...one, ...pay(one.terms, one.baseCents) }));
  const { currency } = paid[0] ?? { currency: sale.currency };
  const policyVersionId = largest.terms.versionId;
  if (paid.some((one) => one.currency !== currency)) {
    const wholeCents = earning.reduce((sum, one) => sum + one.baseCents, 0);
    return { policyVersionId, ...pay(largest.terms, wholeCents), parts: [] };
  }
  const parts = paid.map(({ terms, productIds, baseCents, amountCents }) => ({
    policyVersionId: terms.versionId,
    productIds,
    baseCents,
    amountCents,
  }));
  return {
    policyVersionId,
    amountCents: parts.reduce((sum, part) => sum + part.amountCents, 0),
    currency,
    parts: groups.length > 1 ? parts : [],
  };
}

/**
 * Returns the products that have a share of the sale. Products with a weight of 0 are skipped. If no product is left, the
 * sale is treated as one product without an id.
 */
export function listSoldProducts(products: readonly WeightedProduct[]): readonly WeightedProduct[] {
  const weighted = products.filter(({ weight }) => weight > 0);
  return weighted.length > 0 ? weighted : [{ productId: null, weight: 1 }];
}

/** Groups the products by policy version. Products without a policy come last. */
function groupByPolicy(
  products: readonly WeightedProduct[],
  termsOf: (productId: string | null) => PolicyCandidate | null,
): (Omit<ProductGroup, 'terms'> & { readonly terms: PolicyCandidate | null })[] {
  const groups = new Map<
    number,
    { terms: PolicyCandidate | null; ids: Set<string | null>; weight: number }
  >();
  for (const { productId, weight } of listSoldProducts(products)) {
    const terms = termsOf(productId);
    const key = terms?.versionId ?? Number.POSITIVE_INFINITY;
    const group = groups.get(key) ?? { terms, ids: new Set(), weight: 0 };
    group.ids.add(productId);
    group.weight += weight;
    groups.set(key, group);
  }
  return [...groups]
    .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
    .map(([, { terms, ids, weight }]) => ({ terms, productIds: [...ids].sort(), weight }));
}

/** Divides an amount in proportion to the weights. The shares always add up to the amount. */
function divideAmount(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let weightSoFar = 0;
  let givenSoFar = 0;
  return weights.map((weight) => {
    weightSoFar += weight;
    const share = proportion(amount, weightSoFar, total) - givenSoFar;
    givenSoFar += share;
    return share;
  });
}
