import { Webhooks } from '@affkit/node';
import { expect, vi } from 'vitest';
import { type App, WEBHOOK_SECRET } from './app.ts';
import { type Manage, signIn } from './seed.ts';

const webhooks = new Webhooks({ secret: WEBHOOK_SECRET });
const LEAD_TIMEOUT_MS = 10_000;

/**
 * Uses an app as its visitors, Stripe, and its owner do: a click of a partner's link, a sign-up, a payment, and an
 * approval without a body. Expects the commission of the partner at the end.
 */
export async function useApp(app: App): Promise<void> {
  const clickId = await click(app);
  expect(await signUp(app, clickId)).toEqual([201, { userId: 'user-1' }]);
  const manage = await signIn(fetch, `${app.origin}/affiliates`);
  const path = `/api/advertiser/affiliate-programs/${app.programId}`;
  await expectLead(manage, app.programId);

  const payload = paymentEvent(app, clickId);
  expect(await deliver(app, payload, webhooks.sign(payload))).toBe(200);
  expect(await deliver(app, payload, webhooks.sign(`${payload} `))).toBe(400);

  const commissions = await manage('GET', `${path}/commissions`);
  expect(commissions['data']).toMatchObject([
    { transaction_id: 'pi_1', amount_cents: 2_000, status: 'pending' },
  ]);
  const [{ id }] = commissions['data'] as [{ id: number }];
  expect(await manage('POST', `${path}/commissions/${id}/approve`)).toMatchObject({
    data: { status: 'approved' },
  });
}

/** The request of the tracker's script, which needs no preflight. */
async function click({ origin }: App): Promise<string> {
  const response = await fetch(`${origin}/affiliates/api/v1/track/click`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin },
    body: JSON.stringify({ affiliate_url: `${origin}/?aff=ann` }),
  });
  const reply = (await response.json()) as { click_id: string };
  expect([response.status, reply]).toEqual([200, expect.objectContaining({ partner_code: 'ann' })]);
  return reply.click_id;
}

async function signUp({ origin }: App, clickId: string): Promise<unknown> {
  const response = await fetch(`${origin}/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `theme=dark; service_click_id=${clickId}` },
    body: '{"userId":"user-1"}',
  });
  return [response.status, await response.json()];
}

/** The lead arrives after the response to the sign-up. */
async function expectLead(manage: Manage, programId: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const { data } = await manage('GET', `/api/tracking/events/${programId}?eventType=lead`);
      expect(data).toMatchObject([{ customer_key: 'user-1' }]);
    },
    { timeout: LEAD_TIMEOUT_MS },
  );
}

/** A payment of $100. Its spaces would not survive a parser. */
function paymentEvent({ programId }: App, clickId: string): string {
  const metadata = { program_id: String(programId), service_click_id: clickId };
  const session = {
    id: 'cs_1',
    mode: 'payment',
    payment_intent: 'pi_1',
    payment_status: 'paid',
    amount_total: 10_000,
    currency: 'usd',
    metadata: { ...metadata, service_customer_key: 'user-1' },
  };
  const created = Math.floor(Date.now() / 1000);
  const event = { id: 'evt_1', type: 'checkout.session.completed', created, data: { object: session } };
  return JSON.stringify(event, null, 2);
}

async function deliver({ origin }: App, payload: string, signature: string): Promise<number> {
  const response = await fetch(`${origin}/webhooks/stripe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
    body: payload,
  });
  await response.text();
  return response.status;
}
