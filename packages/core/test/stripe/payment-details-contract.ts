import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { permutations } from '../support/permutations.ts';
import {
  charge,
  event,
  invoice,
  paymentIntent,
  paymentSession,
  subscriptionSession,
} from '../support/stripe-events.ts';
import { findStep, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { unwrap } from '../support/world.ts';

const VERSIONS = ['acacia', 'basil'] as const;
const WAIT_MS = 600_000;

/** 19.99 with 3.00 tax, of which 0.50 on shipping, and 5.50 shipping with that tax. */
const SESSION_TAX = {
  total_details: { amount_discount: 0, amount_shipping: 500, amount_tax: 300 },
  shipping_cost: { amount_subtotal: 500, amount_tax: 50, amount_total: 550 },
};
const INVOICE_TAX = {
  acacia: {
    tax: 300,
    total_tax_amounts: [
      { amount: 250, inclusive: false },
      { amount: 50, inclusive: false },
    ],
  },
  basil: {
    total_taxes: [
      { amount: 250, tax_behavior: 'exclusive' },
      { amount: 50, tax_behavior: 'exclusive' },
    ],
  },
};

/** Tests the tax, shipping and products that Stripe's events report, on every engine. */
export function paymentDetailsContract(kind: string, open: OpenEngine): void {
  describe(`the details of a payment on ${kind}`, () => {
    let world: WebhookWorld;
    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterEach(() => auditAndClose(world));

    const payNet = async () =>
      unwrap(await changeProgram(world.affkit.runtime, world.program, { commission_base: 'net' }));
    const completed = (session: object) => event('checkout.session.completed', { ...session });
    const details = () =>
      world.engine.read
        .selectFrom('sales')
        .select(['tax_cents', 'shipping_cents', 'base_cents'])
        .orderBy('id')
        .execute();
    const earned = async () =>
      (await world.engine.read.selectFrom('commissions').select('amount_cents').orderBy('id').execute()).map(
        (row) => row.amount_cents,
      );
    /** Runs the jobs after the time that a payment waits for its details. */
    const wait = async () => {
      world.clock.now += WAIT_MS;
      await world.affkit.jobs.runOnce();
    };
    const NET = { tax_cents: 300, shipping_cents: 500, base_cents: 1199 };

    describe.each(VERSIONS)('with API version %s', (version) => {
      const paid = (name: string, fields = {}) =>
        event('invoice.paid', invoice(version, name, name, world.metadata, fields));
      const bill = { ...INVOICE_TAX[version], shipping_cost: SESSION_TAX.shipping_cost };
      const intent = (name: string, fields = {}) =>
        event('payment_intent.succeeded', paymentIntent(version, name, world.metadata, fields));

      test('a session and an invoice have the same tax and shipping', async () => {
        await payNet();
        await world.outcome(completed(paymentSession('a', world.metadata, SESSION_TAX)));
        await world.outcome(paid('b', bill));
        expect(await details()).toEqual([NET, NET]);
        expect(await earned()).toEqual([240, 240]);
      });

      test('the start of a subscription has the same base in either order', async () => {
        await payNet();
        const subscribed = (name: string) =>
          completed(subscriptionSession(name, world.metadata, SESSION_TAX));
        await world.outcomes(subscribed('a'), paid('a', bill), paid('b', bill), subscribed('b'));
        expect(await details()).toEqual([NET, NET]);
      });

      test('intent, charge and session have the same base in any order', async () => {
        await payNet();
        for (const [index, order] of permutations(['intent', 'charge', 'session']).entries()) {
          const name = `p${index}`;
          const fields = { invoice: null, metadata: world.metadata };
          const events = {
            intent: intent(name),
            charge: event('charge.succeeded', charge(version, name, 0, 1999, fields)),
            session: completed(paymentSession(name, world.metadata, SESSION_TAX)),
          };
          await world.outcomes(...order.map((one) => events[one as keyof typeof events]));
        }
        await wait();
        expect(await details()).toEqual(Array(6).fill(NET));
        expect(await earned()).toEqual(Array(6).fill(240));
      });

      test('an intent without a session is recorded after 10 minutes, once, at its own time', async () => {
        await payNet();
        expect(await world.outcomes(intent('a'), intent('a'))).toEqual([
          'parked: details_pending',
          'parked: details_pending',
        ]);
        world.clock.now += WAIT_MS - 1;
        await world.affkit.jobs.runOnce();
        expect(await world.sales()).toEqual([]);
        await wait();
        await wait();
        expect(await world.sales()).toMatchObject([
          { processor_event_id: 'pi_a', sale_at: world.clock.now - 3 * WAIT_MS + 1 },
        ]);
        expect(await details()).toEqual([{ tax_cents: null, shipping_cents: null, base_cents: 1999 }]);
        const tracer = await TraceClient.of(world);
        const steps = await tracer.steps('transaction_id=pi_a');
        expect(findStep(steps, 'webhook_sale_recorded')).toMatchObject({ detail: { outcome_reason: null } });
        expect(findStep(steps, 'webhook_duplicate')).toBeDefined();
      });

      test('an intent that says its tax and shipping is recorded at once', async () => {
        await payNet();
        const amount_details = { tax: { total_tax_amount: 300 }, shipping: { amount: 500 } };
        const stated = { service_tax_cents: '300', service_shipping_cents: '500' };
        expect(
          await world.outcomes(
            intent('a', { amount_details }),
            intent('b', { metadata: { ...world.metadata, ...stated } }),
          ),
        ).toEqual(['sale_recorded', 'sale_recorded']);
        expect(await details()).toEqual([NET, NET]);
      });

      test('a refund of an intent that waits is deducted when it is recorded', async () => {
        await payNet();
        const fields = { invoice: null };
        await world.outcomes(intent('a'), event('charge.refunded', charge(version, 'a', 1999, 1999, fields)));
        await wait();
        expect(await world.commissions()).toMatchObject([{ id: 'pi_a', status: 'reversed' }]);
      });

      test('an invoice that a credit balance paid in part has its share of tax and shipping', async () => {
        await payNet();
        await world.outcome(paid('a', { ...bill, total: 1999, amount_paid: 1000 }));
        expect(await details()).toEqual([{ tax_cents: 150, shipping_cents: 250, base_cents: 600 }]);
      });

      test('tax and shipping are never more than the amount', async () => {
        const shipping_cost = { amount_subtotal: 5000, amount_tax: 0, amount_total: 5000 };
        await world.outcome(paid('a', { ...bill, shipping_cost }));
        await world.outcome(intent('b', { metadata: { ...world.metadata, service_tax_cents: '999999' } }));
        await world.outcome(intent('c', { metadata: { ...world.metadata, service_tax_cents: '-5' } }));
        expect(await details()).toEqual([
          { tax_cents: 300, shipping_cents: 1699, base_cents: 1999 },
          { tax_cents: 1999, shipping_cents: null, base_cents: 1999 },
          { tax_cents: null, shipping_cents: null, base_cents: 1999 },
        ]);
      });
    });
  });
}
