import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { invoiceLines, sessionLines } from '../../../core/test/support/stripe-lines.ts';
import { unchecked } from '../../../core/test/support/stripe-shape.ts';
import { makeClient } from '../../test/client.ts';
import { answer } from '../../test/msw-server.ts';
import { RECORDED } from '../../test/replies.ts';
import {
  CREATED_AT,
  charge,
  event,
  invoice,
  METADATA,
  paymentIntent,
  refund,
  session,
} from '../../test/stripe-events.ts';
import { readTracking, toTrackCall } from './index.ts';

const SALE = {
  amount_cents: 1999,
  currency: 'USD',
  click_id: 'clk_1',
  customer_key: 'user-1',
  occurred_at: CREATED_AT,
};
const ONCE = { ...SALE, sale_type: 'payment', is_recurring: false };
const LINE = {
  product_id: null,
  price_id: null,
  description: null,
  quantity: null,
  amount_cents: 1999,
  tax_cents: 0,
};
const BILLED = { ...SALE, sale_type: 'subscription', is_recurring: true, subscription_id: 'sub_1' };
const RENEWED = { ...BILLED, line_items: { data: [LINE] } };
const PRO = { name: 'pro', amount: 1000 };
const PRO_LINE = {
  product_id: 'prod_pro',
  price_id: 'price_pro',
  description: 'The pro',
  quantity: 1,
  amount_cents: 1000,
  tax_cents: 0,
};
const BASIC_LINE = {
  product_id: 'prod_basic',
  price_id: 'price_basic',
  description: 'The basic',
  amount_cents: 999,
};
const NO_TAX = { tax_cents: 0, shipping_cents: 0 };
const STARTED = { ...BILLED, is_recurring: false };

describe('toTrackCall', () => {
  test.each<[string, object, object]>([
    [
      'a payment intent with metadata is a payment',
      event('payment_intent.succeeded', paymentIntent('current', METADATA)),
      { sale: { ...ONCE, transaction_id: 'pi_2', processor_refs: ['ch_2'] } },
    ],
    [
      'a charge with metadata is recorded under its payment intent',
      event('charge.succeeded', charge('current', 0, { metadata: METADATA })),
      { sale: { ...ONCE, transaction_id: 'pi_2', processor_refs: ['ch_2'] } },
    ],
    [
      'a payment is recorded under its payment intent',
      event('checkout.session.completed', session('payment', METADATA)),
      { sale: { ...ONCE, ...NO_TAX, transaction_id: 'pi_1', processor_refs: ['cs_1'] } },
    ],
    [
      'a payment without a payment intent is recorded under its session',
      event('checkout.session.completed', session('payment', METADATA, { payment_intent: null })),
      { sale: { ...ONCE, ...NO_TAX, transaction_id: 'cs_1' } },
    ],
    [
      'a subscription is recorded under its invoice',
      event('checkout.session.completed', session('subscription', METADATA)),
      { sale: { ...STARTED, ...NO_TAX, transaction_id: 'in_1', processor_refs: ['cs_1', 'sub_1'] } },
    ],
    [
      'the first invoice of a subscription has the subscription id among its processor_refs',
      event(
        'invoice.paid',
        invoice('current', METADATA, { id: 'in_1', billing_reason: 'subscription_create' }),
      ),
      { sale: { ...RENEWED, is_recurring: false, transaction_id: 'in_1', processor_refs: ['sub_1'] } },
    ],
    [
      'a renewal before API version 2025-03-31 has its payment intent and charge as processor_refs',
      event('invoice.paid', invoice('acacia', METADATA)),
      { sale: { ...RENEWED, transaction_id: 'in_2', processor_refs: ['pi_2', 'ch_2'] } },
    ],
    [
      'a renewal since API version 2025-03-31 has its payment intent as processor_ref if the invoice lists payments',
      event(
        'invoice.payment_succeeded',
        invoice('current', METADATA, {
          payments: { data: [{ payment: { type: 'payment_intent', payment_intent: 'pi_2' } }] },
        }),
      ),
      { sale: { ...RENEWED, transaction_id: 'in_2', processor_refs: ['pi_2'] } },
    ],
    [
      'a session with tax and shipping has both amounts, and the shipping excludes its tax',
      event(
        'checkout.session.completed',
        session('payment', METADATA, {
          total_details: { amount_discount: 0, amount_shipping: 500, amount_tax: 300 },
          shipping_cost: { amount_subtotal: 500, amount_tax: 50, amount_total: 550 },
        }),
      ),
      {
        sale: {
          ...ONCE,
          transaction_id: 'pi_1',
          processor_refs: ['cs_1'],
          tax_cents: 300,
          shipping_cents: 500,
        },
      },
    ],
    [
      'a partly paid invoice before API version 2025-03-31 has the paid share of its tax',
      event('invoice.paid', invoice('acacia', METADATA, { ...unchecked({ tax: 300 }), amount_paid: 1000 })),
      {
        sale: {
          ...RENEWED,
          amount_cents: 1000,
          tax_cents: 150,
          transaction_id: 'in_2',
          processor_refs: ['pi_2', 'ch_2'],
        },
      },
    ],
    [
      'an invoice since API version 2025-03-31 has the sum of its total_taxes',
      event('invoice.paid', invoice('current', METADATA, { total_taxes: [{ amount: 250 }, { amount: 50 }] })),
      { sale: { ...RENEWED, tax_cents: 300, transaction_id: 'in_2' } },
    ],
    [
      'a session with one expanded line has the product and the interval of the line',
      event(
        'checkout.session.completed',
        session('subscription', METADATA, { line_items: sessionLines([{ ...PRO, interval: 'year' }]) }),
      ),
      {
        sale: {
          ...STARTED,
          ...NO_TAX,
          transaction_id: 'in_1',
          processor_refs: ['cs_1', 'sub_1'],
          product_id: 'prod_pro',
          subscription_interval: 'annual',
          line_items: { data: [PRO_LINE] },
        },
      },
    ],
    [
      'an invoice of an accepted quote is not a renewal, and its line amounts do not include billing credits',
      event(
        'invoice.paid',
        invoice('current', METADATA, {
          billing_reason: 'quote_accept',
          lines: {
            data: invoiceLines('current', '1', [PRO]).data.map((line) => ({
              ...line,
              pretax_credit_amounts: [
                { amount: 100, discount: 'di_1', type: 'discount' as const },
                {
                  amount: 300,
                  credit_balance_transaction: 'cbtxn_1',
                  type: 'credit_balance_transaction' as const,
                },
              ],
            })),
          },
        }),
      ),
      {
        sale: {
          ...BILLED,
          is_recurring: false,
          transaction_id: 'in_2',
          product_id: 'prod_pro',
          subscription_interval: 'monthly',
          line_items: { data: [{ ...PRO_LINE, amount_cents: PRO_LINE.amount_cents - 300 }] },
        },
      },
    ],
    ...(['acacia', 'current'] as const).map((version): [string, object, object] => [
      `an invoice of API version ${version} with two products has two line items and no product_id`,
      event(
        'invoice.paid',
        invoice(version, METADATA, {
          ...unchecked({ payment_intent: undefined, charge: undefined }),
          lines: invoiceLines(version, '1', [PRO, { name: 'basic', amount: 999 }]),
        }),
      ),
      {
        sale: {
          ...BILLED,
          transaction_id: 'in_2',
          subscription_interval: 'monthly',
          line_items: { data: [PRO_LINE, { ...PRO_LINE, ...BASIC_LINE }] },
        },
      },
    ]),
    [
      'a payment intent has the product from its metadata',
      event('payment_intent.succeeded', paymentIntent('current', { ...METADATA, service_product_id: 'pro' })),
      { sale: { ...ONCE, product_id: 'pro', transaction_id: 'pi_2', processor_refs: ['ch_2'] } },
    ],
    [
      'a payment intent has the tax from its metadata',
      event('payment_intent.succeeded', paymentIntent('current', { ...METADATA, service_tax_cents: '300' })),
      { sale: { ...ONCE, tax_cents: 300, transaction_id: 'pi_2', processor_refs: ['ch_2'] } },
    ],
    ...['refund.created', 'refund.updated', 'charge.refund.updated'].map((type): [string, object, object] => [
      `${type} becomes a refund with the id and amount of Stripe's refund`,
      event(type, refund('1', 500, { reason: 'duplicate' })),
      {
        refund: {
          transaction_id: 'pi_2',
          refund_id: 're_1',
          refund_amount_cents: 500,
          refund_reason: 'duplicate',
          occurred_at: CREATED_AT,
        },
      },
    ]),
    [
      'a charge that contains its refunds becomes a refund with the id of the latest one',
      event(
        'charge.refunded',
        charge('acacia', 1999, { refunds: { data: [refund('2', 1499), refund('1', 500)] } }),
        { amount_refunded: 500 },
      ),
      {
        refund: {
          transaction_id: 'in_2',
          refund_id: 're_2',
          refund_amount_cents: 1499,
          occurred_at: CREATED_AT,
        },
      },
    ],
  ])('%s', (_what, given, call) => {
    expect(toTrackCall(given)).toEqual(call);
  });

  test.each<[string, object]>([
    ['an event of another type', event('customer.created', {})],
    [
      'an unpaid checkout',
      event('checkout.session.completed', session('payment', METADATA, { payment_status: 'unpaid' })),
    ],
    [
      'a checkout that requires no payment now',
      event(
        'checkout.session.completed',
        session('payment', METADATA, { payment_status: 'no_payment_required' }),
      ),
    ],
    [
      'a session in mode setup',
      event('checkout.session.completed', session('payment', METADATA, { mode: 'setup' })),
    ],
    [
      'an invoice that is still open',
      event('invoice.payment_succeeded', invoice('current', METADATA, { status: 'open' })),
    ],
    [
      'a payment intent of an invoice',
      event('payment_intent.succeeded', paymentIntent('acacia', METADATA, unchecked({ invoice: 'in_2' }))),
    ],
    [
      'a charge that is not captured',
      event('charge.succeeded', charge('current', 0, { captured: false, metadata: METADATA })),
    ],
    ['an invoice of 0', event('invoice.paid', invoice('current', METADATA, { amount_paid: 0 }))],
    ['a payment without tracking', event('invoice.paid', invoice('current', {}))],
    ['a refund that failed', event('refund.updated', refund('1', 500, { status: 'failed' }))],
    [
      'a refund that waits for the customer',
      event('refund.created', refund('1', 500, { status: 'requires_action' })),
    ],
    [
      'a charge.refunded event that contains only the sum of the refunds',
      event('charge.refunded', charge('current', 1999), { amount_refunded: 500 }),
    ],
    [
      'a charge whose latest refund failed',
      event(
        'charge.refunded',
        charge('acacia', 500, { refunds: { data: [refund('1', 500, { status: 'failed' })] } }),
      ),
    ],
  ])('returns null for %s', (_what, given) => {
    expect(toTrackCall(given)).toBeNull();
  });

  test('uses the transactionId option for a refund', () => {
    const given = event('refund.created', refund('1', 500));
    expect(toTrackCall(given, { transactionId: 'in_2' })).toMatchObject({
      refund: { transaction_id: 'in_2' },
    });
  });

  test('every returned call passes the validation of the client', async () => {
    answer([200, { ...RECORDED.sale, ...RECORDED.refund }]);
    const { affkit } = makeClient();
    const events = [
      event('checkout.session.completed', session('payment', METADATA)),
      event('checkout.session.completed', session('subscription', METADATA)),
      event('invoice.paid', invoice('acacia', METADATA)),
      event('charge.refunded', charge('acacia', 500, { refunds: { data: [refund('1', 500)] } })),
      event('refund.created', refund('1', 500)),
    ];
    for (const given of events) {
      const call = toTrackCall(given);
      if (call === null) throw new Error('Expected a call');
      const result = 'sale' in call ? await affkit.sale(call.sale) : await affkit.refund(call.refund);
      expect(result.status).toBe('recorded');
    }
  });

  test('never throws for any input', () => {
    const names = Object.keys({
      ...session('payment', {}),
      ...invoice('acacia', {}),
      ...invoice('current', {}),
      ...charge('acacia', 1),
    });
    const types = fc.constantFrom(
      'checkout.session.completed',
      'invoice.paid',
      'payment_intent.succeeded',
      'charge.succeeded',
      'charge.refunded',
      'refund.created',
    );
    const object = fc.dictionary(
      fc.constantFrom(...names, 'payments', 'refunds'),
      fc.oneof(fc.jsonValue(), fc.record({ data: fc.array(fc.jsonValue()) })),
    );
    fc.assert(
      fc.property(types, object, fc.anything(), fc.anything(), (type, fields, created, other) => {
        const given = { ...event(type, fields), created };
        for (const value of [given, other]) {
          toTrackCall(value);
          readTracking(value);
        }
      }),
    );
  });
});
