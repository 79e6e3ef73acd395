import { METADATA_KEYS } from '@affkit/protocol';
import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { unchecked } from '../../../core/test/support/stripe-shape.ts';
import { charge, event, invoice, METADATA, session } from '../../test/stripe-events.ts';
import { attachTracking, readTracking } from './index.ts';

const TRACKING = { programId: 7, clickId: 'clk_1', customerKey: 'user-1' };
const READ = { programId: '7', clickId: 'clk_1', customerKey: 'user-1' };

describe('attachTracking', () => {
  test('in mode payment, the session and the payment intent get the metadata', () => {
    const params: Stripe.Checkout.SessionCreateParams = {
      mode: 'payment',
      metadata: { order: '5' },
      payment_intent_data: { description: 'Shoes', metadata: { order: '5' } },
    };
    const before = structuredClone(params);
    const attached: Stripe.Checkout.SessionCreateParams = attachTracking(params, TRACKING);
    expect(attached).toEqual({
      mode: 'payment',
      metadata: { order: '5', ...METADATA },
      payment_intent_data: { description: 'Shoes', metadata: { order: '5', ...METADATA } },
    });
    expect(params).toEqual(before);
  });

  test('in mode subscription, the session and the subscription get the metadata', () => {
    const params: Stripe.Checkout.SessionCreateParams = {
      mode: 'subscription',
      subscription_data: { trial_period_days: 7 },
    };
    expect(attachTracking(params, TRACKING)).toEqual({
      mode: 'subscription',
      metadata: METADATA,
      subscription_data: { trial_period_days: 7, metadata: METADATA },
    });
  });

  test('in mode setup, no payment intent data is added, because Stripe rejects such data', () => {
    expect(attachTracking({ mode: 'setup' }, TRACKING)).toEqual({ mode: 'setup', metadata: METADATA });
  });

  test('a click id suffices; the params stay unchanged if click id and customer key are absent', () => {
    const clickAlone = attachTracking(
      { mode: 'payment' },
      { programId: '7', clickId: 'clk_1', customerKey: '' },
    );
    const { [METADATA_KEYS.customerKey]: _, ...rest } = METADATA;
    expect(clickAlone).toMatchObject({ metadata: rest, payment_intent_data: { metadata: rest } });
    const params = { mode: 'payment' };
    expect(attachTracking(params, { programId: 7, clickId: null, customerKey: undefined })).toBe(params);
  });
});

describe('readTracking', () => {
  test.each([
    ['a session', event('checkout.session.completed', session('payment', METADATA))],
    [
      'an asynchronous payment',
      event('checkout.session.async_payment_succeeded', session('payment', METADATA)),
    ],
    ['an invoice before 2025-03-31', event('invoice.paid', invoice('acacia', METADATA))],
    ['an invoice since 2025-03-31', event('invoice.payment_succeeded', invoice('current', METADATA))],
    [
      'a line of an invoice',
      event('invoice.paid', invoice('current', {}, { lines: { data: [{ metadata: METADATA }] } })),
    ],
    [
      'an expanded subscription',
      event(
        'invoice.paid',
        invoice('acacia', {}, unchecked({ subscription: { id: 'sub_1', metadata: METADATA } })),
      ),
    ],
    ['a charge', event('charge.refunded', charge('current', 500, { metadata: METADATA }))],
    [
      'an expanded payment intent',
      event(
        'charge.refunded',
        charge('current', 500, { payment_intent: { id: 'pi_2', metadata: METADATA } }),
      ),
    ],
  ])('finds the metadata on %s', (_where, given) => {
    expect(readTracking(given)).toEqual(READ);
  });

  test('each value is looked up separately, starting with the most specific object', () => {
    const parted = invoice(
      'acacia',
      { ...METADATA, service_click_id: 'clk_far' },
      { metadata: { service_click_id: 'clk_near', service_customer_key: '' } },
    );
    expect(readTracking(event('invoice.paid', parted))).toEqual({ ...READ, clickId: 'clk_near' });
  });

  test('readTracking returns null for an event without tracking metadata or of another type', () => {
    expect(readTracking(event('invoice.paid', invoice('current', { order: '5' })))).toBeNull();
    expect(readTracking(event('customer.created', { metadata: METADATA }))).toBeNull();
  });
});
