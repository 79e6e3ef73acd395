import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosePolicy, computeCommission, type PolicyCandidate } from './commission.ts';
import { splitCommission, type WeightedProduct } from './commission-parts.ts';
import { proportion } from './money.ts';
import { readSaleLines, weighLines } from './sale-lines.ts';

const PRODUCTS = ['a', 'b', 'c', null] as const;

function percent(versionId: number, productId: string | null, rateBps: number): PolicyCandidate {
  return {
    versionId,
    productId,
    partnerId: null,
    type: 'percent',
    rateBps,
    amountCents: null,
    recurringMonths: null,
  };
}

const rate = fc.integer({ min: 0, max: 10_000 });
const policies = fc
  .tuple(rate, rate, rate)
  .map(([standard, a, b]) => [percent(1, null, standard), percent(2, 'a', a), percent(3, 'b', b)]);
const products = fc.array(
  fc.record({
    productId: fc.constantFrom(...PRODUCTS),
    weight: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999_999_999 })),
  }),
  { maxLength: 8 },
);
const base = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 999_999_999_999 }));

function split(
  lines: readonly WeightedProduct[],
  baseCents: number,
  candidates: readonly PolicyCandidate[],
  currency = 'USD',
) {
  const termsOf = (productId: string | null) => choosePolicy(candidates, productId, 1);
  const commission = splitCommission(lines, { baseCents, currency }, 'USD', termsOf);
  if (!commission) throw new Error('No product earns a commission');
  return commission;
}

test('a commission is the sum of its rounded parts, and the bases of the parts add up to the base of the sale', () => {
  fc.assert(
    fc.property(products, base, policies, (lines, baseCents, candidates) => {
      const { amountCents, parts } = split(lines, baseCents, candidates);
      expect(amountCents).toBeLessThanOrEqual(baseCents);
      if (parts.length === 0) return;
      expect(parts.reduce((sum, part) => sum + part.amountCents, 0)).toBe(amountCents);
      expect(parts.reduce((sum, part) => sum + part.baseCents, 0)).toBe(baseCents);
      for (const part of parts) {
        const { rateBps } = candidates.find(({ versionId }) => versionId === part.policyVersionId) ?? {};
        expect(part.amountCents).toBe(proportion(part.baseCents, rateBps ?? -1, 10_000));
      }
    }),
  );
});

test('the commission does not depend on the order of the products', () => {
  fc.assert(
    fc.property(
      products,
      base,
      policies,
      fc.infiniteStream(fc.nat()),
      (lines, baseCents, candidates, order) => {
        const shuffled = lines
          .map((line) => ({ line, at: Number(order.next().value) }))
          .sort((a, b) => a.at - b.at)
          .map(({ line }) => line);
        expect(split(shuffled, baseCents, candidates)).toEqual(split(lines, baseCents, candidates));
      },
    ),
  );
});

test('if one policy applies to all products, together they earn what this policy pays for the whole sale', () => {
  fc.assert(
    fc.property(products, base, rate, (lines, baseCents, rateBps) => {
      const policy = percent(1, null, rateBps);
      expect(split(lines, baseCents, [policy])).toEqual({
        policyVersionId: 1,
        parts: [],
        ...computeCommission(policy, { amountCents: baseCents, currency: 'USD' }, 'USD'),
      });
    }),
  );
});

test('reads the lines from a list or from the `data` field of an object, and returns no lines for any other value', () => {
  const items = [{ product_id: 'a', amount_cents: 5, tax_cents: 1 }, { amount_cents: 3 }];
  const lines = [
    { productId: 'a', amountCents: 5, taxCents: 1 },
    { productId: null, amountCents: 3, taxCents: 0 },
  ];
  expect(readSaleLines(items)).toEqual(lines);
  expect(readSaleLines({ data: items })).toEqual(lines);
  const weigh = (base: 'net' | 'total') =>
    weighLines(base, lines).map(({ productId, weight }) => [productId, weight]);
  expect(weigh('net')).toEqual([
    ['a', 4],
    [null, 3],
  ]);
  expect(weigh('total')).toEqual([
    ['a', 5],
    [null, 3],
  ]);
  for (const other of [
    undefined,
    null,
    'text',
    {},
    { data: {} },
    [{ sku: 'a' }],
    [...items, { amount_cents: -1 }],
  ]) {
    expect(readSaleLines(other)).toEqual([]);
  }
  fc.assert(fc.property(fc.jsonValue(), (value) => Array.isArray(readSaleLines(value))));
});
