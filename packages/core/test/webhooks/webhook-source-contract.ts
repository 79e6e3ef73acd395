import { WEBHOOK_EVENT_TYPES, webhookEvent } from '@affkit/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { createEndpoint } from '../../src/management/webhook-endpoints.ts';
import { createPayPalProvider } from '../../src/payout-provider/paypal.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { type PayoutWorld, payoutWorldOn } from '../support/payout-world.ts';
import { PayPalStub } from '../support/paypal-stub.ts';
import { dispute, event, invoice, invoicePayment } from '../support/stripe-events.ts';
import { openReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { unwrap } from '../support/world.ts';

/**
 * Tests that a change causes the same events, regardless of its source: a processor, a provider, a file, a rule,
 * or a bulk call.
 */
export function webhookSourceContract(kind: string, open: OpenEngine): void {
  describe(`webhook events by their source on ${kind}`, () => {
    let stripe: WebhookWorld;
    let world: PayoutWorld;
    let receiver: WebhookReceiver;
    let paypal: PayPalStub;

    beforeEach(async () => {
      receiver = await openReceiver();
      paypal = await PayPalStub.start();
      stripe = await makeWebhookWorld(
        await open(),
        {},
        {
          webhookAllowHosts: [receiver.host],
          payoutProviders: [createPayPalProvider(paypal.settings)],
          payoutWorkspaces: 'all',
        },
      );
      world = await payoutWorldOn(stripe);
      const input = { url: receiver.url, event_types: [...WEBHOOK_EVENT_TYPES] };
      const { secret } = unwrap(await createEndpoint(world.affkit.runtime, world.program, input));
      receiver.secrets.push(secret);
    });
    afterEach(async () => {
      await world.affkit.close();
      await receiver.close();
      await paypal.close();
    });

    /** Runs `work` and the jobs, and returns the events that were delivered. */
    async function eventsOf(work: () => Promise<unknown>) {
      await world.affkit.jobs.runOnce();
      const before = receiver.received.length;
      await work();
      await world.affkit.jobs.runOnce();
      return receiver.received
        .slice(before)
        .map(({ event: received }) => webhookEvent.parse(received))
        .sort((a, b) => a.sequence - b.sequence);
    }
    const createdNow = () => ({ created: Math.floor(world.clock.now / 1000) });
    const typesOf = (events: Awaited<ReturnType<typeof eventsOf>>) => events.map(({ type }) => type);

    /** Queues a payout of 20.00 for Anna in a batch. */
    async function batchOf(channel: string) {
      await world.sell('order-1', 10_000);
      const details = toPayoutDetails({ method: 'paypal', email: 'anna@paypal.test' });
      const partner = { id: world.anna.partnerId, workspaceId: world.workspaceId };
      await changePayoutDetails(world.affkit.runtime, partner, details);
      const [payout] = await world.payOut();
      const { body } = await world.ask('POST', '/payout-batches', { channel, currency: 'USD' });
      return { batchId: (body['data'] as { id: number }).id, payoutId: payout?.id ?? 0 };
    }

    it('reports a sale and a refund of a Stripe webhook', async () => {
      const completed = stripe.completed('a');
      const sold = await eventsOf(() => stripe.outcomes(completed, completed));
      expect(sold).toMatchObject([
        { type: 'sale.created', data: { amount_cents: 1999, currency: 'USD' } },
        { type: 'commission.created', data: { amount_cents: 400 } },
        { type: 'commission.approved', data: { amount_cents: 400 } },
      ]);
      const refunded = await eventsOf(() => stripe.outcome(stripe.refunded('a', 1999)));
      expect(refunded).toMatchObject([
        { type: 'refund.created', data: { amount_cents: 1999, deduction_cents: 400 } },
        { type: 'commission.reversed', data: { status: 'reversed', deducted_cents: 400 } },
      ]);
    });

    it('reports a lost dispute, but not an open one', async () => {
      await stripe.outcome(stripe.completed('a'));
      const opened = event('charge.dispute.created', dispute('a', 'needs_response'));
      expect(await eventsOf(() => stripe.outcome(opened))).toEqual([]);
      const lost = event('charge.dispute.closed', dispute('a', 'lost'));
      expect(typesOf(await eventsOf(() => stripe.outcome(lost)))).toEqual([
        'refund.created',
        'commission.reversed',
      ]);
    });

    it('reports the rejection of a commission for a sale that was recorded twice', async () => {
      await stripe.sell({ transaction_id: 'pi_a' });
      world.clock.now += 1;
      await stripe.outcome(
        event('invoice.paid', invoice('current', 'a', 'a', stripe.metadata), createdNow()),
      );
      const events = await eventsOf(() =>
        stripe.outcome(event('invoice_payment.paid', invoicePayment('a'), createdNow())),
      );
      expect(events).toMatchObject([
        { type: 'commission.rejected', data: { status: 'rejected', partner_id: world.anna.partnerId } },
      ]);
    });

    it('reports each decision and each payment of a bulk call', async () => {
      await world.ask('PUT', '', { hold_days: 30 });
      const ids = [await world.sell('order-1', 1_000), await world.sell('order-2', 1_000, { code: 'ben' })];
      const decide = { ids: [...ids, 999_999], action: 'approve' };
      const approved = await eventsOf(() => world.ask('POST', '/commissions/bulk', decide));
      expect(approved).toMatchObject(
        ids.map((commission_id) => ({ type: 'commission.approved', data: { commission_id } })),
      );
      const payouts = await world.payOut();
      const items = payouts.map(({ id }) => ({ id }));
      const paid = await eventsOf(() => world.ask('POST', '/payouts/mark-paid', { items }));
      expect(paid).toMatchObject(payouts.map(({ id }) => ({ type: 'payout.paid', data: { payout_id: id } })));
      expect(paid).toHaveLength(2);
    });

    it('reports a payout that a provider has paid', async () => {
      const { payoutId } = await batchOf('provider:paypal');
      await world.affkit.jobs.runOnce();
      const [sent] = paypal.payouts;
      if (!sent) throw new Error('PayPal received no payout');
      const events = await eventsOf(async () => {
        sent.status = 'SUCCESS';
        const { body, headers } = paypal.webhook(sent, 'SUCCEEDED');
        await world.call('POST', '/api/v1/webhooks/payouts/paypal', body, headers);
        // A job reads the result. The events of a job run are delivered in the next run.
        await world.affkit.jobs.runOnce();
      });
      expect(events).toMatchObject([
        { type: 'payout.paid', data: { payout_id: payoutId, status: 'paid', reference: `TX${sent.id}` } },
      ]);
    });

    it('reports a payout that a result file marks as paid; a failed one is pending again', async () => {
      const { batchId, payoutId } = await batchOf('file:paypal');
      const importResult = (batch: number, status: string) =>
        world.ask(
          'POST',
          `/payout-batches/${batch}/import`,
          `payout_id,status,reference\n${payoutId},${status},TR-1\n`,
        );
      expect(await eventsOf(() => importResult(batchId, 'failed'))).toEqual([]);
      expect((await world.ask('GET', `/payouts/${payoutId}`)).body['data']).toMatchObject({
        status: 'pending',
      });
      const { body } = await world.ask('POST', '/payout-batches', {
        channel: 'file:paypal',
        currency: 'USD',
      });
      const { id: next } = body['data'] as { id: number };
      expect(await eventsOf(() => importResult(next, 'paid'))).toMatchObject([
        { type: 'payout.paid', data: { payout_id: payoutId, reference: 'TR-1', amount_cents: 2_000 } },
      ]);
    });

    it('reports the approved partners of an import', async () => {
      const file = 'email,name,status\ncleo@blog.example,Cleo,pending\ndora@blog.example,Dora,approved\n';
      const events = await eventsOf(async () => {
        await world.ask('POST', '/partners/import?dry_run=1', file);
        await world.ask('POST', '/partners/import', file);
      });
      expect(events).toMatchObject([
        { type: 'partner.approved', data: { name: 'Dora', email: 'dora@blog.example' } },
      ]);
    });

    it('reports an application that a rule approves', async () => {
      const page = { published: true, invitation_codes: ['SPRING'] };
      expect(await world.ask('PUT', '/page', page)).toMatchObject({ status: 200 });
      const path = `/api/v1/programs/${world.program.slug}`;
      const shown = await world.call('GET', path);
      const { form_token } = shown.body['data'] as { form_token: string };
      // The form rejects applications that are sent immediately, because only bots are that fast.
      world.clock.now += 60_000;
      const application = {
        name: 'Emil',
        email: 'emil@blog.example',
        invitation_code: 'SPRING',
        form_token,
      };
      const events = await eventsOf(() => world.call('POST', `${path}/applications`, application));
      expect(events).toMatchObject([
        { type: 'partner.applied', data: { name: 'Emil' } },
        { type: 'partner.approved', data: { name: 'Emil' } },
      ]);
    });
  });
}
