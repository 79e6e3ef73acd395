import { Webhooks } from '@affkit/node';
import { expect, vi } from 'vitest';
import { type App, WEBHOOK_SECRET } from './app.ts';
import { BLOG, type Manage, signIn } from './seed.ts';

const webhooks = new Webhooks({ secret: WEBHOOK_SECRET });
const LEAD_TIMEOUT_MS = 10_000;
/**
 * Ids written as JSON escapes. They take 1.2 MB, which is more than the 512 KB that some frameworks accept, and less
 * than Affkit's limit of 1.5 MiB.
 */
const LARGE_IDS = Array.from({ length: 1_000 }, (_id, index) => `${'\\u0041'.repeat(200)}${index}`);

/**
 * Uses an app as its visitors, Stripe, and its owner do: clicks from two sites, two sign-ups, a payment, and an
 * approval without a body. Expects the lead, the sale, and the commission.
 */
export async function useApp(app: App): Promise<void> {
  const clickId = await click(app, app.origin);
  await click(app, BLOG);
  expect(await signUp(app, 'user-1', `theme=dark; service_click_id=${clickId}`)).toBe(201);
  expect(await signUp(app, 'user-2', 'theme=dark')).toBe(201);
  const manage = await signIn(fetch, `${app.origin}/affiliates`);
  await expectLead(manage, app.programId);
  await pay(app, clickId);
  const path = `/api/advertiser/affiliate-programs/${app.programId}/commissions`;
  const { data } = await manage('GET', path);
  expect(data).toMatchObject([{ transaction_id: 'pi_1', amount_cents: 2_000, status: 'pending' }]);
  const [{ id }] = data as [{ id: number }];
  const approved = await sendWithoutBody(app, `${path}/${id}/approve`, manage.token);
  expect(approved).toEqual({ status: 200, text: expect.stringContaining('"status":"approved"') });
  expect(await sendLarge(app)).toEqual({ status: 200, text: expect.stringContaining('"existing":[]') });
}

/** Sends a click as the tracker's script does, without a preflight. */
export async function sendClick(app: App, origin: string): Promise<Response> {
  return fetch(`${app.origin}/affiliates/api/v1/track/click`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin },
    body: JSON.stringify({ affiliate_url: `${origin}/?aff=ann` }),
  });
}

async function click(app: App, origin: string): Promise<string> {
  const response = await sendClick(app, origin);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringContaining('"partner_code":"ann"')]);
  return (JSON.parse(text) as { click_id: string }).click_id;
}

async function signUp({ origin }: App, userId: string, cookie: string): Promise<number> {
  const response = await fetch(`${origin}/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ userId }),
  });
  expect(await response.json()).toEqual({ userId });
  return response.status;
}

/** Waits for the lead, which arrives after the response to the sign-up. */
async function expectLead(manage: Manage, programId: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const { data } = await manage('GET', `/api/tracking/events/${programId}?eventType=lead`);
      expect(data).toMatchObject([{ customer_key: 'user-1' }]);
    },
    { timeout: LEAD_TIMEOUT_MS },
  );
}

/** Delivers a payment of $100 twice: with a forged signature, and then with a valid one. */
async function pay(app: App, clickId: string): Promise<void> {
  const metadata = { program_id: String(app.programId), service_click_id: clickId };
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
  // Send the JSON with spaces. If the app parsed the body and serialized it again, the spaces would be lost, and the
  // signature would no longer match.
  const payload = JSON.stringify(event, null, 2);
  expect(await deliver(app, payload, webhooks.sign(`${payload} `))).toBe(400);
  expect(await deliver(app, payload, webhooks.sign(payload))).toBe(200);
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

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export async function readText(response: Response): Promise<Answer> {
  return { status: response.status, text: await response.text() };
}

/** Sends a POST without a body, as `curl -X POST` does. `Content-Type` is sent only if it is in `headers`. */
export async function sendWithoutBody(
  { origin }: App,
  path: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const init = { method: 'POST', headers: { ...headers, authorization: `Bearer ${token}` } };
  return readText(await fetch(`${origin}/affiliates${path}`, init));
}

/** Asks whether 1,000 transactions with long ids are recorded. */
export async function sendLarge({ origin, token }: App): Promise<Answer> {
  const response = await fetch(`${origin}/affiliates/api/v1/track/exists`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: `{"transaction_ids":["${LARGE_IDS.join('","')}"]}`,
  });
  return readText(response);
}
