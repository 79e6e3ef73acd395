import Stripe from 'stripe';
import { beforeEach, expect, test } from 'vitest';
import { listen } from '../../../packages/core/test/support/listen.ts';
import { type Backend, startBackend, stripeEvent, WEBHOOK_SECRET } from '../test/backend.ts';
import { createApp } from './express-stripe.ts';

/** The parameters of the last request to Stripe. */
let stripeParams = new URLSearchParams();
const stripe = new Stripe('sk_test_of_nobody', {
  httpClient: Stripe.createFetchHttpClient(async (_url: unknown, init?: RequestInit) => {
    stripeParams = new URLSearchParams(String(init?.body));
    return Response.json({ id: 'cs_1', object: 'checkout.session', url: 'https://pay.test/cs_1' });
  }),
});

let backend: Backend;
let url: string;
beforeEach(async () => {
  backend = await startBackend();
  const { affkit, server } = backend;
  url = await listen(createApp({ affkit, stripe, programId: server.programId }));
});

async function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Lets a referred customer check out. Returns the metadata that was sent to Stripe. */
async function checkOut(mode: 'payment' | 'subscription', target: string): Promise<Record<string, string>> {
  const clickId = await backend.partner.click();
  await backend.affkit.lead({ click_id: clickId, customer_key: 'user-1' });
  const response = await post(
    `/checkout/${mode}`,
    JSON.stringify({ price: 'price_1', userId: 'user-1', clickId }),
  );
  expect(await response.json()).toEqual({ url: 'https://pay.test/cs_1' });
  const names = ['program_id', 'service_click_id', 'service_customer_key'];
  return Object.fromEntries(
    names.map((name) => [name, stripeParams.get(`${target}[metadata][${name}]`) ?? '']),
  );
}

/** Delivers a signed Stripe event. Returns the response status. */
async function deliver(type: string, object: object): Promise<number> {
  const nowMs = backend.server.clock.now();
  const payload = stripeEvent(type, nowMs, object);
  const timestamp = Math.floor(nowMs / 1000);
  const header = stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, timestamp });
  return (await post('/webhooks/stripe', payload, { 'stripe-signature': header })).status;
}

const REFUND = { status: 'succeeded', currency: 'usd' };
const paid = { payment_status: 'paid', amount_total: 10_000, currency: 'usd' };

test('a payment creates one commission, and the refunds of the payment reverse the commission', async () => {
  const metadata = await checkOut('payment', 'payment_intent_data');
  const session = { id: 'cs_1', mode: 'payment', payment_intent: 'pi_1', metadata, ...paid };
  expect(await deliver('checkout.session.completed', session)).toBe(200);
  expect(await deliver('checkout.session.completed', session)).toBe(200);
  expect(await backend.partner.balanceCents()).toBe(2_000);

  // Each refund counts once, regardless of the order of its events.
  const charge = { id: 'ch_1', payment_intent: 'pi_1', amount_refunded: 5_000, currency: 'usd' };
  const refund = (id: string) => ({ ...REFUND, id, payment_intent: 'pi_1', amount: 5_000 });
  expect(await deliver('charge.refunded', charge)).toBe(200);
  expect(await deliver('refund.created', refund('re_1'))).toBe(200);
  expect(await deliver('refund.updated', refund('re_1'))).toBe(200);
  expect(await backend.partner.balanceCents()).toBe(1_000);
  expect(await deliver('refund.created', refund('re_2'))).toBe(200);
  expect(await backend.partner.balanceCents()).toBe(0);
});

test('the first invoice and each renewal of a subscription create a commission', async () => {
  const metadata = await checkOut('subscription', 'subscription_data');
  const session = {
    id: 'cs_1',
    mode: 'subscription',
    invoice: 'in_1',
    subscription: 'sub_1',
    metadata,
    ...paid,
  };
  const invoice = (id: string, reason: string) => ({
    id,
    billing_reason: reason,
    amount_paid: 10_000,
    currency: 'usd',
    parent: { subscription_details: { subscription: 'sub_1', metadata } },
  });
  expect(await deliver('checkout.session.completed', session)).toBe(200);
  expect(await deliver('invoice.paid', invoice('in_1', 'subscription_create'))).toBe(200);
  expect(await backend.partner.balanceCents()).toBe(2_000);
  // The attribution window does not apply to renewals.
  await backend.server.clock.advance({ days: 90 });
  expect(await deliver('invoice.paid', invoice('in_2', 'subscription_cycle'))).toBe(200);
  expect(await backend.partner.balanceCents()).toBe(4_000);
});

test('responds with 200 to a refund of an unknown sale, but with 500 if Affkit rejects the token', async () => {
  const refund = { ...REFUND, id: 're_9', payment_intent: 'pi_9', amount: 500 };
  expect(await deliver('refund.created', refund)).toBe(200);
  backend.server.faults.always({ kind: 'reply', status: 401 });
  expect(await deliver('refund.created', refund)).toBe(500);
});

test('responds with 400 to a forged webhook', async () => {
  const forged = await post('/webhooks/stripe', '{}', { 'stripe-signature': 't=1,v1=00' });
  expect([forged.status, await forged.json()]).toEqual([400, { reason: 'signature_missing' }]);
});
