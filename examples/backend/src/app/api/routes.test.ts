import { Webhooks } from '@affkit/node';
import { createTestAffkit, type TestAffkit } from '@affkit/testing';
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stripeEvent, WEBHOOK_SECRET } from '../../../test/backend.ts';
import { POST as signUp } from './signup/route.ts';
import { POST as stripeWebhook } from './webhooks/stripe/route.ts';

const msw = setupServer();
let server: TestAffkit;

beforeAll(async () => {
  server = await createTestAffkit();
  msw.use(...server.handlers(http));
  msw.listen({ onUnhandledFrame: 'error' });
  vi.stubEnv('AFFKIT_BASE_URL', server.baseUrl);
  vi.stubEnv('AFFKIT_TOKEN', server.token);
  vi.stubEnv('AFFKIT_WEBHOOK_SECRET', WEBHOOK_SECRET);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  msw.close();
  await server.close();
});

function post(path: string, body: string, headers: Record<string, string> = {}): Request {
  return new Request(`https://shop.test${path}`, { method: 'POST', body, headers });
}

/** Delivers the Stripe event of a payment of 50.00 USD. */
function deliver(userId: string): Promise<Response> {
  const body = stripeEvent('checkout.session.completed', server.clock.now(), {
    id: `cs_${userId}`,
    mode: 'payment',
    payment_status: 'paid',
    payment_intent: `pi_${userId}`,
    amount_total: 5_000,
    currency: 'usd',
    metadata: { program_id: String(server.programId), service_customer_key: userId },
  });
  const signature = new Webhooks({ secret: WEBHOOK_SECRET }).sign(body);
  return stripeWebhook(post('/api/webhooks/stripe', body, { 'stripe-signature': signature }));
}

test('creates one commission for the payment of a referred customer, even if Stripe sends the event twice', async () => {
  const partner = await server.partner();
  const cookie = `theme=dark; service_click_id=${await partner.click()}`;
  expect((await signUp(post('/api/signup', '{"userId":"user-1"}', { cookie }))).status).toBe(201);
  expect((await deliver('user-1')).status).toBe(200);
  expect((await deliver('user-1')).status).toBe(200);
  expect(await partner.balanceCents()).toBe(1_000);
});

test('sends no lead for a sign-up without a click, and responds with 200 to the payment of that customer', async () => {
  server.faults.always({ kind: 'unreachable' });
  expect((await signUp(post('/api/signup', '{"userId":"user-2"}'))).status).toBe(201);
  server.faults.clear();
  expect((await deliver('user-2')).status).toBe(200);
});

test('signs a referred visitor up within seconds while Affkit does not answer', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  server.faults.always({ kind: 'silence' });
  const signedUp = signUp(post('/api/signup', '{"userId":"user-3"}', { cookie: 'service_click_id=clk_1' }));
  expect((await signedUp).status).toBe(201);
  server.faults.clear();
  expect(warn).toHaveBeenCalledWith('Affkit lead', expect.objectContaining({ code: 'deadline_exceeded' }));
  warn.mockRestore();
});

test('throws when Affkit rejects the token, so that Stripe redelivers the event', async () => {
  server.faults.add({ kind: 'reply', status: 401 });
  await expect(deliver('user-1')).rejects.toMatchObject({ name: 'AffkitAuthenticationError' });
});

test('responds with 400 to an unsigned webhook', async () => {
  const forged = await stripeWebhook(post('/api/webhooks/stripe', '{}'));
  expect([forged.status, await forged.json()]).toEqual([400, { reason: 'header_missing' }]);
});
