import { expect, test } from 'vitest';
import { describePanel, type Partner, type Trace } from './panel.ts';

const PARTNER: Partner = {
  id: 4,
  name: 'Tea Notes',
  balance_cents: 300,
  clicks: 2,
  leads: 1,
  conversions: 1,
  links: [{ short_link: 'tea-notes' }],
};

const CUSTOMER: Trace['customer'] = {
  customer_status: 'conversion',
  click_id: 'clk_1',
  customer_key: 'user_1',
  email: 'v***@example.com',
  partner_id: 4,
};

const step = (step: string, reason: string, detail: Record<string, unknown>) => ({
  at: '2026-01-01T00:00:00.000Z',
  step,
  reason,
  detail,
});

test('shows the partners and a hint to an unknown visitor', () => {
  expect(describePanel(null, [PARTNER])).toEqual({
    visitor: null,
    events: [],
    partners: [
      {
        name: 'Tea Notes',
        link: '/?aff=tea-notes',
        balance: '$3.00',
        counts: '2 clicks · 1 lead · 1 sale',
      },
    ],
    hint: expect.stringContaining('partner’s link'),
  });
});

test('lists the events newest first, without the ledger', () => {
  const trace: Trace = {
    customer: CUSTOMER,
    steps: [
      step('click', 'click_recorded', { id: 1, partner_id: 4 }),
      step('lead', 'lead_from_server', { id: 2 }),
      step('sale', 'sale_recorded', { id: 3, transaction_id: 'order_1', amount_cents: 1999 }),
      step('commission', 'policy_applied', {
        id: 5,
        amount_cents: 400,
        deducted_cents: 100,
        status: 'refunded',
      }),
      step('ledger', 'commission', { id: 6, amount_cents: 400 }),
      step('refund', 'partial_refund', {
        id: 7,
        sale_amount_cents: 1999,
        refund_amount_cents: 500,
        deduction_cents: 100,
      }),
    ],
  };
  const { visitor, events, hint } = describePanel(trace, [PARTNER]);
  expect(visitor).toEqual({
    stage: 'refund',
    partner: 'Tea Notes',
    clickId: 'clk_1',
    customerKey: 'user_1',
    email: 'v***@example.com',
  });
  expect(events.map(({ key, title, detail, amount }) => [key, title, detail, amount])).toEqual([
    ['refund-7', 'Refund', 'of a part of $19.99: $1.00 deducted from the commission', '−$5.00'],
    ['commission-5', 'Commission', 'for Tea Notes, partly refunded', '+$4.00'],
    ['sale-3', 'Sale', 'order_1', '$19.99'],
    ['lead-2', 'Lead', 'sign-up, reported by the shop’s server', null],
    ['click-1', 'Click', 'through the link of Tea Notes', null],
  ]);
  expect(hint).toContain('whole flow');
});

test('describes a full refund and a sale without commission', () => {
  const trace: Trace = {
    customer: CUSTOMER,
    steps: [
      step('commission', 'policy_applied', {
        id: 4,
        amount_cents: 400,
        deducted_cents: 400,
        status: 'refunded',
      }),
      step('no_commission', 'window_expired', { id: 3 }),
      step('refund', 'full_refund', {
        id: 7,
        sale_amount_cents: 1999,
        refund_amount_cents: null,
        deduction_cents: 400,
      }),
    ],
  };
  const { events } = describePanel(trace, [PARTNER]);
  expect(events.map(({ detail, amount, isReversed }) => [detail, amount, isReversed])).toEqual([
    ['of the whole sale: $4.00 deducted from the commission', '−$19.99', undefined],
    ['window expired', null, undefined],
    ['for Tea Notes, refunded', '+$4.00', true],
  ]);
});

test.each([
  ['approved', 0, false],
  ['paid', 0, false],
  ['refunded', 100, false],
  ['refunded', 400, true],
  ['reversed', 400, true],
  ['rejected', 0, true],
])(
  'a commission with the status %s and a deduction of %d: isReversed is %j',
  (status, deducted_cents, isReversed) => {
    const detail = { id: 4, amount_cents: 400, deducted_cents, status };
    const trace = { customer: CUSTOMER, steps: [step('commission', 'policy_applied', detail)] };
    expect(describePanel(trace, [PARTNER]).events).toMatchObject([{ isReversed }]);
  },
);

test.each([
  ['click', 'sign up'],
  ['lead', 'buy'],
])('after a %s the hint says to %s', (status, word) => {
  const customer = { ...CUSTOMER, customer_status: status };
  expect(describePanel({ customer, steps: [] }, []).hint).toContain(word);
});

test('shows a sale without a partner, and why nothing was recorded', () => {
  const order = { id: 'order_1', amountCents: 1999, placedAt: '2026-01-01T00:00:00.000Z' };
  const { events, hint } = describePanel(null, [], [order]);
  expect(events).toMatchObject([
    {
      title: 'Sale without a partner',
      amount: '$19.99',
      detail: expect.stringContaining('No partner’s link'),
    },
  ]);
  expect(hint).toContain('This sale has no partner');
});
