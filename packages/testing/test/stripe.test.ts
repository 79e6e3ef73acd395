import { Affkit, systemRuntime, Webhooks } from '@affkit/node';
import { toTrackCall } from '@affkit/node/stripe';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ApiVersion,
  CREATED,
  charge,
  chargeWithoutInvoice,
  event,
  invoice,
  invoicePayment,
  paymentSession,
  refund,
  type StripeEvent,
  subscriptionSession,
} from '../../core/test/support/stripe-events.ts';
import { createTestAffkit } from '../src/index.ts';

const SECRET = 'whsec_of_the_test';

/**
 * Starts a server with a referred customer. Stripe events can be sent to it by webhook or with an SDK call.
 */
async function start() {
  const server = await createTestAffkit({ startAt: new Date(CREATED * 1000) });
  onTestFinished(() => server.close());
  const { baseUrl, token, clock, programId } = server;
  const runtime = { ...systemRuntime, now: clock.now };
  const affkit = new Affkit({ baseUrl, token, fetch: server.fetch, runtime, logLevel: 'off' });
  const webhooks = new Webhooks({ secret: SECRET, runtime });
  const partner = await server.partner();
  const clickId = await partner.click();
  await affkit.lead({ click_id: clickId, customer_key: 'user-1' });
  const connection = await server.manage('POST', '/api/advertiser/processor-connections', {
    processor: 'stripe',
    account_id: 'acct_1',
    webhook_secret: SECRET,
  });
  const { webhook_path: path } = connection['data'] as { webhook_path: string };
  return {
    server,
    partner,
    metadata: { program_id: String(programId), service_click_id: clickId, service_customer_key: 'user-1' },
    async byWebhook(given: StripeEvent) {
      const body = JSON.stringify(given);
      const headers = { 'stripe-signature': webhooks.sign(body) };
      const response = await server.fetch(baseUrl + path, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
    },
    async byCall(given: StripeEvent) {
      const call = toTrackCall(given);
      if (call !== null && 'sale' in call) await affkit.sale(call.sale);
      if (call !== null && 'refund' in call) await affkit.refund(call.refund);
    },
    async result() {
      const commissions = await server.commissions();
      return {
        commissions: commissions.map(({ transaction_id: id, amount_cents: cents, status }) => ({
          id,
          cents,
          status,
        })),
        balanceCents: await partner.balanceCents(),
      };
    },
  };
}

type Scenario = Awaited<ReturnType<typeof start>>;
type Metadata = Scenario['metadata'];

const histories: [string, (metadata: Metadata, version: ApiVersion) => StripeEvent[]][] = [
  [
    'a payment and a partial refund',
    (metadata, version) => [
      event('checkout.session.completed', paymentSession('a', metadata)),
      event('charge.refunded', chargeWithoutInvoice(version, 'a', 500)),
      event('refund.created', refund('a', '1', 500)),
    ],
  ],
  [
    'a payment with a full refund',
    (metadata, version) => [
      event('checkout.session.completed', paymentSession('a', metadata)),
      event('charge.refunded', chargeWithoutInvoice(version, 'a', 1999)),
      event('refund.created', refund('a', '1', 1999)),
    ],
  ],
  [
    'a subscription, its first invoice and a renewal',
    (metadata, version) => [
      event('checkout.session.completed', subscriptionSession('a', metadata)),
      event('invoice.paid', invoice(version, 'a', 'a', metadata)),
      event('invoice.paid', invoice(version, 'b', 'a', metadata)),
      event('invoice.payment_succeeded', invoice(version, 'b', 'a', metadata)),
    ],
  ],
  [
    'a renewal with a full refund',
    (metadata, version) => [
      event(
        'invoice.paid',
        invoice(version, 'b', 'a', metadata, { payments: { data: [invoicePayment('b')] } }),
      ),
      event('charge.refunded', charge(version, 'b', 1999)),
      event('refund.created', refund('b', '1', 1999)),
    ],
  ],
  [
    'events without a commission',
    (metadata) => [
      event('checkout.session.completed', paymentSession('a', metadata, { payment_status: 'unpaid' })),
      event('checkout.session.completed', paymentSession('b', metadata, { amount_total: 0 })),
      event('checkout.session.completed', paymentSession('c', {})),
    ],
  ],
];

describe.each<ApiVersion>(['acacia', 'current'])('Stripe events of the API version %s', (version) => {
  test.each(histories)(
    '%s: SDK calls, webhooks and both together produce the same commissions and balance',
    async (_what, history) => {
      const [webhookSide, callSide, both] = [await start(), await start(), await start()];
      for (const given of history(webhookSide.metadata, version)) await webhookSide.byWebhook(given);
      for (const given of history(callSide.metadata, version)) await callSide.byCall(given);
      for (const given of history(both.metadata, version)) {
        await Promise.all([both.byWebhook(given), both.byCall(given)]);
      }
      const expected = await webhookSide.result();
      expect(await callSide.result()).toEqual(expected);
      expect(await both.result()).toEqual(expected);
    },
  );
});
