import { Affkit, systemRuntime, Webhooks } from '@affkit/node';
import { toTrackCall } from '@affkit/node/stripe';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ApiVersion,
  CREATED,
  charge,
  event,
  invoice,
  invoicePayment,
  paymentSession,
  type StripeEvent,
  subscriptionSession,
} from '../../core/test/support/stripe-events.ts';
import { createTestAffkit } from '../src/index.ts';

const SECRET = 'whsec_of_the_test';

/** A server with a customer of a partner, whom Stripe tells by webhook, or the SDK by its calls. */
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
      const reply = await server.fetch(baseUrl + path, { method: 'POST', headers, body });
      expect(reply.status).toBe(200);
    },
    async byCall(given: StripeEvent) {
      const call = toTrackCall(given);
      if (call !== null && 'sale' in call) await affkit.sale(call.sale);
      if (call !== null && 'refund' in call) await affkit.refund(call.refund);
    },
    async books() {
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

type Side = Awaited<ReturnType<typeof start>>;
type Metadata = Side['metadata'];

const histories: [string, (metadata: Metadata, version: ApiVersion) => StripeEvent[]][] = [
  [
    'a payment and a refund in part',
    (metadata, version) => [
      event('checkout.session.completed', paymentSession('a', metadata)),
      event('charge.refunded', charge(version, 'a', 500, 1999, { invoice: null })),
    ],
  ],
  [
    'a payment that was given back whole',
    (metadata, version) => [
      event('checkout.session.completed', paymentSession('a', metadata)),
      event('charge.refunded', charge(version, 'a', 1999, 1999, { invoice: null })),
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
    'a renewal that was given back',
    (metadata, version) => [
      event(
        'invoice.paid',
        invoice(version, 'b', 'a', metadata, { payments: { data: [invoicePayment('b')] } }),
      ),
      event('charge.refunded', charge(version, 'b', 1999)),
    ],
  ],
  [
    'what earns nothing',
    (metadata) => [
      event('checkout.session.completed', paymentSession('a', metadata, { payment_status: 'unpaid' })),
      event('checkout.session.completed', paymentSession('b', metadata, { amount_total: 0 })),
      event('checkout.session.completed', paymentSession('c', {})),
    ],
  ],
];

describe.each<ApiVersion>(['acacia', 'basil'])('events of %s', (version) => {
  test.each(histories)(
    '%s: the calls end in the books of the webhook, and both at once in the same',
    async (_what, history) => {
      const [hooked, called, both] = [await start(), await start(), await start()];
      for (const given of history(hooked.metadata, version)) await hooked.byWebhook(given);
      for (const given of history(called.metadata, version)) await called.byCall(given);
      for (const given of history(both.metadata, version)) {
        await Promise.all([both.byWebhook(given), both.byCall(given)]);
      }
      const books = await hooked.books();
      expect(await called.books()).toEqual(books);
      expect(await both.books()).toEqual(books);
    },
  );
});
