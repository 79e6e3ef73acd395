import { expect, test } from 'vitest';
import type { TraceStep } from '../../api/types.ts';
import {
  decisionOf,
  decisionsOf,
  deductedBySeveral,
  entryCents,
  netCents,
  simulatedDays,
  simulatorQuery,
  type TraceSearch,
  traceQueries,
} from './trace.ts';

test.each([
  [0.4, 30, 0],
  [29.99, 30, 29],
  [30, 30, 30],
  [30.01, 30, 31],
  [45, 30, 45],
])(
  '%s days with a window of %s days are rounded to %s days on the same side of the window’s end',
  (days, windowDays, whole) => {
    expect(simulatedDays(days, windowDays)).toBe(whole);
  },
);

const step = (kind: TraceStep['step'], detail: TraceStep['detail']): TraceStep => ({
  step: kind,
  at: '2026-01-01T00:00:00.000Z',
  reason: 'r',
  why: 'w',
  detail,
});

const customer = {
  customer_status: 'conversion' as const,
  click_id: 'clk_1',
  partner_id: 1,
  last_click_at: '2026-01-01T00:00:00.000Z',
  signup_date: null,
  first_purchase_date: null,
};
const steps = [1, 2, 3].flatMap((id) => [
  step('sale', { id, transaction_id: `order-${id}`, amount_cents: 100, currency: 'USD' }),
  step(id === 3 ? 'no_commission' : 'commission', { id: 40 + id, sale_id: id }),
]);

test.each<[TraceSearch, number | undefined]>([
  [{ commission_id: '41' }, 1],
  [{ commission_id: '042' }, 2],
  // 43 is the id of a decision without a commission. No commission has this id.
  [{ commission_id: '43' }, undefined],
  [{ commission_id: '99' }, undefined],
  [{ transaction_id: 'order-2' }, 2],
  [{ transaction_id: 'pi_of_order_2' }, undefined],
  [{ customer_key: 'order-1' }, 3],
  [{ click_id: 'clk_1' }, 3],
])('the query %o selects the decision about sale %s', (search, saleId) => {
  expect(decisionOf(decisionsOf({ customer, steps }), search)?.saleId).toBe(saleId);
});

test.each([
  ['order-1', [{ transaction_id: 'order-1' }, { customer_key: 'order-1' }]],
  // Shops use ids such as #1001 too.
  ['#41', [{ transaction_id: '#41' }, { customer_key: '#41' }, { commission_id: '41' }]],
  ['clk_1', [{ click_id: 'clk_1' }, { transaction_id: 'clk_1' }, { customer_key: 'clk_1' }]],
])('for the text %s, the trace queries are %j', (text, queries) => {
  expect(traceQueries(text)).toEqual(queries);
});

test('a rejected commission is worth 0, even if it was adjusted before', () => {
  const detail = { amount_cents: 500, deducted_cents: 500, adjusted_cents: 200 };
  expect(netCents(step('commission', { ...detail, status: 'rejected' }))).toBe(0);
  expect(netCents(step('commission', { ...detail, status: 'reversed' }))).toBe(200);
});

test.each([
  ['refunded', 1, 0],
  ['refunded', 2, 750],
  ['rejected', 2, 0],
])('for a %s commission with %i refunds, the total of several refunds is %i', (status, refunds, total) => {
  const verdict = step('commission', { id: 41, sale_id: 1, deducted_cents: 750, status });
  const later = Array.from({ length: refunds }, () => step('refund', { commission_id: 41 }));
  const [decision] = decisionsOf({ customer, steps: [step('sale', { id: 1 }), verdict, ...later] });
  expect(decision && deductedBySeveral(decision)).toBe(total);
});

test('a ledger entry that is debited from the balance of the partner is negative', () => {
  const entry = (debit_account: string) => entryCents(step('ledger', { debit_account, amount_cents: 150 }));
  expect(['partner_payable', 'advertiser_cost', 'advertiser_write_off'].map(entry)).toEqual([-150, 150, 150]);
});

const PRODUCTS = [
  { product_id: 'pro', amount_cents: 700, tax_cents: 100 },
  { product_id: null, amount_cents: 300, tax_cents: 0 },
];

function simulated(sale: TraceStep['detail'], decision: TraceStep): Record<string, string> {
  const sold = { id: 1, amount_cents: 1000, currency: 'USD', tax_cents: null, shipping_cents: null, ...sale };
  const [first] = decisionsOf({ customer, steps: [step('sale', sold), decision] });
  if (!first) throw new Error('no decision');
  return Object.fromEntries(simulatorQuery(first, 7));
}

test('the simulator starts with the tax, the shipping, and the products of the sale', () => {
  const decision = step('commission', { id: 41, sale_id: 1, days_since_click: 3.5, window_days: 60 });
  const sale = {
    amount_cents: 1000,
    currency: 'USD',
    tax_cents: 100,
    shipping_cents: 50,
    products: PRODUCTS,
  };
  expect(simulated(sale, decision)).toEqual({
    amount: '1000',
    currency: 'USD',
    tax: '100',
    shipping: '50',
    days: '3',
    products: JSON.stringify(PRODUCTS),
    partner_id: '7',
  });
  const many = Array.from({ length: 50 }, (_, id) => ({ ...PRODUCTS[0], product_id: `product-${id}` }));
  expect(simulated({ products: many }, decision)).toMatchObject({ products: 'too_many' });
  expect(simulated({ products: [] }, decision)).not.toHaveProperty('products');
});

test('the policy to try starts with the product and the partner of the policy that was applied', () => {
  const base = { policy_id: 1, product_id: null, partner_id: null, verdict: 'less_specific' };
  const applied = { ...base, policy_id: 2, product_id: 'pro', partner_id: 7, verdict: 'chosen' };
  const decision = (candidates: unknown) => step('commission', { id: 41, sale_id: 1, candidates });
  expect(simulated({}, decision([base, applied]))).toMatchObject({
    policy_product_id: 'pro',
    policy_partner_id: '7',
  });
  expect(simulated({}, decision([{ ...base, verdict: 'chosen' }]))).not.toHaveProperty('policy_product_id');
});

test.each([
  ['renewal_of_subscription', 12, '2026-01-01', '2026-03-02', 60],
  ['renewal_of_subscription', null, '2024-01-01', '2026-01-01', 731],
  // The simulator counts the days back from today, and the month before today may have only 28 days.
  ['renewal_of_subscription', 1, '2026-03-01', '2026-04-01', 28],
  // March 1 is 29 days after the first payment, but not within a month of it.
  ['recurring_ended', 1, '2026-01-31', '2026-03-01', 32],
  ['recurring_ended', 12, '2024-01-01', '2026-01-01', 731],
  ['recurring_ended', 0, '2026-01-01', '2026-01-01', 1],
] as const)(
  '%s with %s months, from %s to %s, is simulated %s days after the first payment',
  (reason, recurring_months, from, to, days) => {
    const kind = reason === 'recurring_ended' ? 'no_commission' : 'commission';
    const detail = { id: 41, sale_id: 1, recurring_months, first_commission_date: from, sale_date: to };
    expect(simulated({}, { ...step(kind, detail), reason })).toMatchObject({
      renewal: '1',
      days: String(days),
    });
  },
);
