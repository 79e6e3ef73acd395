import { METADATA_KEYS } from '@affkit/protocol';
import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { unchecked } from '../../../core/test/support/stripe-shape.ts';
import { charge, event, invoice, METADATA, session } from '../../test/stripe-events.ts';
import { attachTracking, readTracking } from './index.ts';

const TRACKING = { programId: 7, clickId: 'clk_1', customerKey: 'user-1' };
const READ = { programId: '7', clickId: 'clk_1', customerKey: 'user-1' };

describe('attachTracking', () => {
  test('adds the metadata to the session and the payment intent of a payment', () => {
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

  test('adds the metadata to the session and the subscription', () => {
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

  test('adds no payment intent data in mode setup, where Stripe rejects such data', () => {
    expect(attachTracking({ mode: 'setup' }, TRACKING)).toEqual({ mode: 'setup', metadata: METADATA });
  });

  test('accepts a click id without a customer key, and returns the params unchanged without either', () => {
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

  test('looks up each value separately, most specific object first', () => {
    const parted = invoice(
      'acacia',
      { ...METADATA, service_click_id: 'clk_far' },
      { metadata: { service_click_id: 'clk_near', service_customer_key: '' } },
    );
    expect(readTracking(event('invoice.paid', parted))).toEqual({ ...READ, clickId: 'clk_near' });
  });

  test('returns null without metadata and for other events', () => {
    expect(readTracking(event('invoice.paid', invoice('current', { order: '5' })))).toBeNull();
    expect(readTracking(event('customer.created', { metadata: METADATA }))).toBeNull();
  });
});
