import { expect, test } from 'vitest';
import { startBackend, stripeEvent } from '../test/backend.ts';
import { createHandlers } from './route-handlers.ts';

test('a sign-up with a click and a payment earn the partner a commission', async () => {
  const { affkit, partner, server } = await startBackend();
  const { signUp, webhook } = createHandlers(affkit);
  const clickId = await partner.click();
  const cookie = `theme=dark; service_click_id=${clickId}`;
  const init = { method: 'POST', headers: { cookie }, body: '{"userId":"user-1"}' };
  expect((await signUp(new Request('https://shop.test/api/signup', init))).status).toBe(201);

  const body = stripeEvent('checkout.session.completed', server.clock.now(), {
    id: 'cs_1',
    mode: 'payment',
    payment_status: 'paid',
    payment_intent: 'pi_1',
    amount_total: 5_000,
    currency: 'usd',
    metadata: { program_id: String(server.programId), service_customer_key: 'user-1' },
  });
  const headers = { 'stripe-signature': affkit.webhooks.sign(body) };
  const paid = await webhook(
    new Request('https://shop.test/api/webhooks/stripe', { method: 'POST', body, headers }),
  );
  expect([paid.status, await partner.balanceCents()]).toEqual([200, 1_000]);
});

test('a sign-up without a click is no lead, and a forged webhook is refused', async () => {
  const { affkit, server } = await startBackend();
  const { signUp, webhook } = createHandlers(affkit);
  server.faults.always({ kind: 'unreachable' });
  const request = new Request('https://shop.test/api/signup', {
    method: 'POST',
    body: '{"userId":"user-1"}',
  });
  expect((await signUp(request)).status).toBe(201);
  const forged = await webhook(new Request('https://shop.test/hook', { method: 'POST', body: '{}' }));
  expect([forged.status, await forged.json()]).toEqual([400, { reason: 'header_missing' }]);
});
