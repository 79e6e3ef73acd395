import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { createPolicy } from '../../src/management/policies.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { event, invoice, invoicePayment } from '../support/stripe-events.ts';
import { TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { unwrap } from '../support/world.ts';

type Report = (world: WebhookWorld, startedAt: number) => Promise<unknown>;

const created = (at: number) => ({ created: Math.floor(at / 1000) });

const firstInvoice =
  (hasMetadata: boolean): Report =>
  (world, startedAt) => {
    const metadata = hasMetadata ? world.metadata : {};
    return world.outcome(event('invoice.paid', invoice('current', 'a', 'a', metadata), created(startedAt)));
  };

const connectIds: Report = (world, startedAt) =>
  world.outcome(event('invoice_payment.paid', invoicePayment('a'), created(startedAt)));

const sellFirst =
  (fields: object): Report =>
  (world, startedAt) =>
    world.sell({ occurred_at: new Date(startedAt).toISOString(), ...fields });

const renew: Report = (world) =>
  world.outcome(
    event('invoice.paid', invoice('current', 'b', 'a', world.metadata), created(world.clock.now)),
  );

/** The reports of the first payment, and the later report that connects this payment with the subscription `sub_a`. */
const CONNECTIONS: Readonly<Record<string, { readonly first: readonly Report[]; readonly connect: Report }>> =
  {
    'an invoice, if the API reported the first payment with its own subscription id': {
      first: [sellFirst({ transaction_id: 'in_a', subscription_id: 'plan-17' })],
      connect: firstInvoice(true),
    },
    'an event with the ids of the payment, if the API reported the payment intent': {
      first: [firstInvoice(false), sellFirst({ transaction_id: 'pi_a' })],
      connect: connectIds,
    },
    'the processor_refs of a repeated API sale': {
      first: [sellFirst({ transaction_id: 'in_a' })],
      connect: sellFirst({ transaction_id: 'in_a', processor_refs: ['sub_a'] }),
    },
  };

/** The API reports a payment with its own id of the subscription, and the webhook reports it with Stripe's id. */
const reportWithBothIds = async (world: WebhookWorld, name: string, isWebhookFirst: boolean) => {
  const reports = [
    () => world.sell({ transaction_id: `in_${name}`, subscription_id: 'plan-17' }),
    () =>
      world.outcome(
        event('invoice.paid', invoice('current', name, 'a', world.metadata), created(world.clock.now)),
      ),
  ];
  for (const report of isWebhookFirst ? reports.toReversed() : reports) await report();
};

export function renewalIdContract(kind: string, open: OpenEngine): void {
  describe(`a renewal of a subscription with several ids on ${kind}`, () => {
    let world: WebhookWorld;
    let startedAt: number;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      startedAt = world.clock.now;
      // Long after the attribution window.
      world.clock.now += 70 * DAY_MS;
    });
    afterEach(() => auditAndClose(world));

    const earned = async () => (await world.commissions()).map(({ id, status }) => `${id} ${status}`);

    describe.each(Object.entries(CONNECTIONS))('connected by %s', (_how, { first, connect }) => {
      test.each(['before', 'after'])('earns if the connection is reported %s the renewal', async (order) => {
        for (const report of first) await report(world, startedAt);
        if (order === 'before') await connect(world, startedAt);
        await renew(world, startedAt);
        if (order === 'after') await connect(world, startedAt);
        expect(await earned()).toHaveLength(2);
        expect(await world.balances()).toMatchObject({ program: { USD: 800 } });
      });
    });

    test.each([true, false])(
      'earns if the API reports it with its own subscription id; webhook first: %s',
      async (isWebhookFirst) => {
        await firstInvoice(true)(world, startedAt);
        await reportWithBothIds(world, 'b', isWebhookFirst);
        expect(await earned()).toEqual(['in_a approved', 'in_b approved']);
      },
    );

    test.each([true, false])(
      'has the terms of the first payment if the API reports that payment within the window; webhook first: %s',
      async (isWebhookFirst) => {
        world.clock.now = startedAt;
        const terms = {
          type: 'percent',
          rate: 20,
          partner_id: world.anna.partnerId,
          recurring_months: 0,
        } as const;
        unwrap(await createPolicy(world.affkit.runtime, world.program, terms));
        await reportWithBothIds(world, 'a', isWebhookFirst);
        world.clock.now += 30 * DAY_MS;
        await reportWithBothIds(world, 'b', false);
        await reportWithBothIds(world, 'c', true);
        expect(await earned()).toEqual(['in_a approved']);
      },
    );

    test.each([true, false])(
      'does not extend the recurring period, which starts with the first payment; webhook first: %s',
      async (isWebhookFirst) => {
        const terms = {
          type: 'percent',
          rate: 20,
          partner_id: world.anna.partnerId,
          recurring_months: 3,
        } as const;
        unwrap(await createPolicy(world.affkit.runtime, world.program, terms));
        await firstInvoice(true)(world, startedAt);
        await reportWithBothIds(world, 'b', isWebhookFirst);
        world.clock.now += 30 * DAY_MS;
        await reportWithBothIds(world, 'c', isWebhookFirst);
        expect(await earned()).toEqual(['in_a approved', 'in_b approved']);
        const steps = await (await TraceClient.of(world)).steps('customer_key=user-1');
        expect(steps.filter(({ reason }) => reason === 'recurring_ended')).toMatchObject([
          { detail: { first_commission_id: 1, recurring_months: 3 } },
        ]);
      },
    );
  });
}
