import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CREATED,
  charge,
  dispute,
  event,
  invoice,
  invoicePayment,
  paymentSession,
  refund,
  subscriptionSession,
} from '../../test/support/stripe-events.ts';
import { invoiceLines } from '../../test/support/stripe-lines.ts';
import { readStripeEvent } from './stripe-event.ts';

const METADATA = { program_id: '1', service_click_id: 'clk_1', service_customer_key: 'user-1' };
const READ = { programId: '1', clickId: 'clk_1', customerKey: 'user-1', productId: null };
const TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'invoice.paid',
  'invoice.payment_succeeded',
  'invoice_payment.paid',
  'charge.succeeded',
  'charge.refunded',
  'payment_intent.succeeded',
];
const contentOf = (type: string, object: object) => readStripeEvent(event(type, { ...object }))?.content;

describe('readStripeEvent', () => {
  test('never throws on random JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        readStripeEvent(json);
      }),
    );
  });

  test('never throws on malformed events, and returns only ids that can be stored', () => {
    const names = Object.keys({
      ...paymentSession('a', {}),
      ...invoice('acacia', 'a', 'a', {}),
      ...invoice('current', 'a', 'a', {}),
      ...invoicePayment('a'),
      ...charge('acacia', 'a', 1),
      payments: 1,
      refunds: 1,
      latest_charge: 1,
    });
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('pi_1\0', '\ud800', 'x'.repeat(300), Infinity, NaN),
    );
    const object = fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof(value, fc.record({ data: fc.array(value) })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), object, fc.anything(), (type, fields, created) => {
        const read = readStripeEvent(event(type, fields, { created }));
        const refs = read && 'refs' in read.content ? read.content.refs : [];
        for (const ref of refs) {
          expect(ref.length > 0 && ref.length <= 255 && ref.isWellFormed() && !ref.includes('\0')).toBe(true);
        }
        expect(read?.at === null || Number.isFinite(new Date(read?.at ?? NaN).getTime())).toBe(true);
      }),
    );
  });

  test.each([
    null,
    [],
    'text',
    1,
    {},
    { id: 'evt_1' },
    { id: 1, type: 'x' },
    { id: '', type: 'x' },
    { type: 'x' },
  ])('returns null for %j, which is not an event', (json) => {
    expect(readStripeEvent(json)).toBeNull();
  });

  test('returns unsupported for event types that are not handled', () => {
    expect(contentOf('customer.created', {})).toEqual({ kind: 'unsupported' });
    expect(readStripeEvent({ id: 'evt_1', object: 'v2.core.event', type: 'v1.x', created: 'z' })).toEqual({
      id: 'evt_1',
      type: 'v1.x',
      at: null,
      isLive: null,
      account: null,
      content: { kind: 'unsupported' },
    });
  });

  test('reads the checkout session of a single payment', () => {
    const read = event('checkout.session.completed', paymentSession('a', METADATA));
    expect(readStripeEvent(read)).toEqual({
      id: read.id,
      type: 'checkout.session.completed',
      isLive: true,
      account: null,
      at: CREATED * 1000,
      content: {
        kind: 'payment',
        refs: ['cs_a', 'pi_a'],
        transactionId: 'pi_a',
        subscriptionId: null,
        isRenewal: false,
        isSummary: false,
        amountCents: 1999,
        currency: 'usd',
        taxCents: 0,
        shippingCents: 0,
        lines: [],
        interval: null,
        metadata: READ,
      },
    });
  });

  test('reads the checkout session of a subscription, with or without an invoice id', () => {
    const session = subscriptionSession('a', METADATA);
    const common = { kind: 'payment', subscriptionId: 'sub_a', metadata: READ };
    expect(contentOf('checkout.session.completed', session)).toMatchObject({
      ...common,
      transactionId: 'in_a',
      refs: ['cs_a', 'in_a', 'sub_a'],
    });
    expect(contentOf('checkout.session.completed', { ...session, invoice: undefined })).toMatchObject({
      ...common,
      transactionId: 'cs_a',
      refs: ['cs_a', 'sub_a'],
    });
  });

  test.each([
    ['acacia', ['in_a', 'pi_a', 'ch_a', 'sub_a']],
    ['current', ['in_a', 'sub_a']],
  ] as const)('reads an invoice of API version %s', (version, refs) => {
    expect(contentOf('invoice.paid', invoice(version, 'a', 'a', METADATA))).toEqual({
      kind: 'payment',
      refs,
      transactionId: 'in_a',
      subscriptionId: 'sub_a',
      isRenewal: false,
      isSummary: false,
      amountCents: 1999,
      currency: 'usd',
      taxCents: null,
      shippingCents: null,
      lines: [
        {
          product_id: null,
          price_id: null,
          description: null,
          quantity: null,
          amount_cents: 1999,
          tax_cents: 0,
        },
      ],
      interval: null,
      metadata: READ,
    });
  });

  test('reads the payments of an invoice if the invoice lists them', () => {
    const payments = {
      data: [invoicePayment('a'), invoicePayment('b', { payment: { type: 'charge', charge: 'ch_b' } })],
    };
    const read = contentOf('invoice.paid', invoice('current', 'r', 'a', METADATA, { payments }));
    expect(read).toMatchObject({ refs: ['in_r', 'pi_a', 'ch_b'] });
  });

  test('reads the first invoice of a quote as the payment that starts the subscription', () => {
    const first = invoice('current', 'b', 'a', METADATA, { billing_reason: 'quote_accept' });
    // The subscription id is needed only to match a checkout session. A quote has no session.
    expect(contentOf('invoice.paid', first)).toMatchObject({ isRenewal: false, refs: ['in_b'] });
  });

  test('leaves out the part of a line that a credit grant paid', () => {
    const [line] = invoiceLines('current', 'a', [{ name: 'pro', amount: 1999 }]).data;
    const pretax_credit_amounts = [
      { amount: 100, discount: 'di_1', type: 'discount' as const },
      { amount: 300, credit_balance_transaction: 'cbtxn_1', type: 'credit_balance_transaction' as const },
    ];
    const lines = { data: [{ ...line, pretax_credit_amounts }] };
    const read = contentOf('invoice.paid', invoice('current', 'a', 'a', METADATA, { lines }));
    expect(read).toMatchObject({ lines: [{ amount_cents: 1699 }] });
  });

  test.each(['appeal_needs_response', 'appeal_under_review', 'under_review'] as const)(
    'reads a dispute with the status %s as open',
    (status) => {
      expect(contentOf('charge.dispute.updated', dispute('a', status))).toMatchObject({ state: 'open' });
    },
  );

  test('ignores a partly paid invoice', () => {
    const open = invoice('current', 'a', 'a', METADATA, { status: 'open' });
    expect(contentOf('invoice.payment_succeeded', open)).toMatchObject({ reason: 'payment_pending' });
  });

  test.each([
    ['invoice_payment.paid', invoicePayment('a'), ['in_a', 'pi_a']],
    [
      'invoice_payment.paid',
      invoicePayment('a', { payment: { type: 'charge', charge: 'ch_a' } }),
      ['in_a', 'ch_a'],
    ],
    ['invoice_payment.paid', invoicePayment('a', { invoice: { id: 'in_x' } }), ['in_x', 'pi_a']],
    ['charge.succeeded', charge('acacia', 'a', 0), ['ch_a', 'pi_a', 'in_a']],
    ['charge.succeeded', charge('current', 'a', 0), ['ch_a', 'pi_a']],
    ['payment_intent.succeeded', { id: 'pi_a', latest_charge: 'ch_a' }, ['pi_a', 'ch_a']],
  ])('reads the payment ids that the event %s links', (type, object, refs) => {
    expect(contentOf(type, object)).toEqual({ kind: 'same_payment', refs });
  });

  test('links no ids when an invoice was paid outside Stripe', () => {
    const payment = { type: 'payment_record', payment_record: 'pr_1' } as const;
    expect(contentOf('invoice_payment.paid', invoicePayment('a', { payment }))).toMatchObject({
      reason: 'nothing_to_tie',
    });
  });

  test('reads the refunded total and the reason of a charge.refunded event', () => {
    const refunds = { data: [{ reason: 'requested_by_customer' as const }] };
    expect(contentOf('charge.refunded', charge('acacia', 'a', 500, 1999, { refunds }))).toEqual({
      kind: 'refund',
      refs: ['ch_a', 'pi_a', 'in_a'],
      charge: 'ch_a',
      refundedCents: 500,
      isWhole: false,
      currency: 'USD',
      reason: 'requested_by_customer',
      metadata: { productId: null },
      refunds: [],
      hasDetails: true,
    });
  });

  test.each([
    ['current', {}],
    ['acacia', {}],
    ['acacia', { amount_captured: null }],
    ['acacia', { amount: null }],
  ] as const)(
    'reads the refunded total of a charge without a list of refunds (API version %s, %j)',
    (version, fields) => {
      const content = (refunded: number) =>
        contentOf('charge.refunded', { ...charge(version, 'a', refunded), ...fields });
      expect(content(500)).toMatchObject({ refundedCents: 500, isWhole: false, refunds: [] });
      expect(content(1999)).toMatchObject({ refundedCents: 1999, isWhole: true, refunds: [] });
    },
  );

  test('reads the succeeded and failed refunds of a charge only if it was captured in full', () => {
    const failed = refund('a', '2', 300, { status: 'failed' });
    const waiting = refund('a', '3', 1, { status: 'requires_action' });
    const refunds = { data: [refund('a', '1', 500), failed, waiting] };
    const single = { id: 're_1', amountCents: 500, currency: 'USD', isFailed: false };
    const content = (fields: Record<string, unknown>) =>
      contentOf('charge.refunded', charge('acacia', 'a', 800, 1999, fields));
    expect(content({ refunds })).toMatchObject({
      refunds: [single, { ...single, id: 're_2', amountCents: 300, isFailed: true }],
    });
    expect(content({ refunds, amount_captured: 1500 })).toMatchObject({ refunds: [] });
  });

  test('reads a single refund, whether or not its charge is expanded', () => {
    const read = {
      kind: 'refund',
      refs: ['ch_a', 'pi_a', 're_1'],
      charge: 'ch_a',
      refundedCents: 0,
      isWhole: false,
      currency: 'USD',
      reason: null,
      metadata: { productId: null },
      refunds: [{ id: 're_1', amountCents: 500, currency: 'USD', isFailed: false }],
      hasDetails: true,
    };
    expect(contentOf('refund.created', refund('a', '1', 500))).toEqual(read);
    const expanded = refund('a', '1', 500, { charge: charge('current', 'a', 500) });
    expect(contentOf('refund.updated', expanded)).toEqual(read);
  });

  test.each([
    { id: 5 },
    { amount: -1 },
    { currency: null },
    { currency: 'us\0' },
    { charge: null, payment_intent: null },
  ])('ignores a single refund with %j', (fields) => {
    expect(contentOf('refund.created', { ...refund('a', '1', 500), ...fields })).toMatchObject({
      kind: 'ignored',
      reason: 'refund_incomplete',
    });
  });

  test.each([
    { amount_refunded: -1 },
    { amount_refunded: 1.5 },
    { amount_refunded: 1e300 },
    { id: 5 },
    { currency: null },
    { currency: 'us\0' },
  ])('ignores a charge.refunded event with %j', (fields) => {
    expect(contentOf('charge.refunded', { ...charge('current', 'a', 1), ...fields })).toMatchObject({
      kind: 'ignored',
      reason: 'charge_incomplete',
    });
  });

  test('reads each metadata key from the first object that contains the key', () => {
    const read = contentOf(
      'invoice.paid',
      invoice('current', 'a', 'a', METADATA, { metadata: { service_click_id: 'clk_2', program_id: '' } }),
    );
    expect(read).toMatchObject({ metadata: { ...READ, clickId: 'clk_2' } });
  });
});

test('converts amounts to the smallest unit by ISO 4217', () => {
  const paid = invoice('current', 'a', 'a', METADATA, { amount_paid: 50_000, currency: 'isk' });
  expect(contentOf('invoice.paid', paid)).toMatchObject({ amountCents: 500, currency: 'isk' });
  const refunded = charge('current', 'a', 20_000, 50_000, { currency: 'isk' });
  expect(contentOf('charge.refunded', refunded)).toMatchObject({ refundedCents: 200, currency: 'ISK' });
});
