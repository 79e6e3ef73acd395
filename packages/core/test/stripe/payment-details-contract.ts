import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram } from '../../src/management/programs.ts';
import { readParts } from '../../src/storage/money/commissions.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { permutations } from '../support/permutations.ts';
import {
  charge,
  chargeWithoutInvoice,
  event,
  invoice,
  paymentIntent,
  paymentSession,
  subscriptionSession,
} from '../support/stripe-events.ts';
import { invoiceLines, sessionLines } from '../support/stripe-lines.ts';
import type { Shape } from '../support/stripe-shape.ts';
import { findStep, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { unwrap } from '../support/world.ts';
import { apiVersionsFor } from './api-versions.ts';

const WAIT_MS = 600_000;

/** The total of 19.99 includes 5.00 for shipping and 3.00 for tax. Of the tax, 0.50 is on the shipping. */
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
  current: {
    total_taxes: [
      { amount: 250, tax_behavior: 'exclusive' as const },
      { amount: 50, tax_behavior: 'exclusive' as const },
    ],
  },
};

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
    /** Advances the clock by the time that a payment waits for its details, then runs the jobs. */
    const wait = async () => {
      world.clock.now += WAIT_MS;
      await world.affkit.jobs.runOnce();
    };
    const addPolicy = async (terms: object) => {
      const path = `/api/advertiser/affiliate-programs/${world.program.id}/commission-policies`;
      expect(await world.call('POST', path, terms, world.session)).toMatchObject({ status: 201 });
    };
    const products = () =>
      world.engine.read
        .selectFrom('sales')
        .select(['product_id', 'subscription_interval', 'line_items'])
        .orderBy('id')
        .execute();
    const parts = async () =>
      (
        await world.engine.read
          .selectFrom('commissions')
          .select(['amount_cents', 'parts'])
          .orderBy('id')
          .execute()
      ).map((row) => ({ ...row, parts: readParts(row.parts) }));
    const NET = { tax_cents: 300, shipping_cents: 500, base_cents: 1199 };

    describe.each(apiVersionsFor(kind))('with API version %s', (version) => {
      const paid = (name: string, fields: Shape<Stripe.Invoice> = {}) =>
        event('invoice.paid', invoice(version, name, name, world.metadata, fields));
      const bill = { ...INVOICE_TAX[version], shipping_cost: SESSION_TAX.shipping_cost };
      const intent = (name: string, fields: Shape<Stripe.PaymentIntent> = {}) =>
        event('payment_intent.succeeded', paymentIntent(version, name, world.metadata, fields));

      test('the details are stored in any order of events, even for a sale that the API reported', async () => {
        const lines = invoiceLines(version, 'x', [{ name: 'pro', amount: 1999 }]);
        const subscribed = (name: string) =>
          completed(subscriptionSession(name, world.metadata, SESSION_TAX));
        await world.outcomes(subscribed('a'), paid('a', { lines, ...bill }));
        await world.outcomes(paid('b', { lines, ...bill }), subscribed('b'));
        await world.sell({ transaction_id: 'in_c' });
        await world.outcomes(subscribed('c'), paid('c', { lines, ...bill }));
        expect(await details()).toEqual(Array(3).fill({ ...NET, base_cents: 1999 }));
        for (const sale of await products()) {
          expect(sale).toMatchObject({ product_id: 'prod_pro', subscription_interval: 'monthly' });
          expect(JSON.parse(sale.line_items ?? '')).toMatchObject({ data: [{ amount_cents: 1999 }] });
        }
        expect(await earned()).toEqual([400, 400, 400]);
      });

      test('a session and an invoice have the same tax and shipping', async () => {
        await payNet();
        await world.outcome(completed(paymentSession('a', world.metadata, SESSION_TAX)));
        await world.outcome(paid('b', bill));
        expect(await details()).toEqual([NET, NET]);
        expect(await earned()).toEqual([240, 240]);
      });

      test('the first payment of a subscription has the same commission base in either order of its events', async () => {
        await payNet();
        const subscribed = (name: string) =>
          completed(subscriptionSession(name, world.metadata, SESSION_TAX));
        await world.outcomes(subscribed('a'), paid('a', bill), paid('b', bill), subscribed('b'));
        expect(await details()).toEqual([NET, NET]);
      });

      test('the commission base is the same in any order of intent, charge and session', async () => {
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

      test('an intent without a session is recorded once, after 10 minutes, with the time of the intent', async () => {
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

      test('an intent that contains its tax and shipping is recorded immediately', async () => {
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

      test('deducts the refund of a pending payment intent when the intent is recorded', async () => {
        await payNet();
        await world.outcomes(intent('a'), event('charge.refunded', chargeWithoutInvoice(version, 'a', 1999)));
        await wait();
        expect(await world.commissions()).toMatchObject([{ id: 'pi_a', status: 'reversed' }]);
      });

      test('if a credit balance paid a part of an invoice, tax and shipping are reduced in proportion', async () => {
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

      describe('with a policy for the product prod_pro', () => {
        const PRO = { name: 'pro', amount: 1000 };
        const BASIC = { name: 'basic', amount: 999 };
        beforeEach(async () => {
          await addPolicy({ type: 'percent', rate: 50, product_id: 'prod_pro' });
        });

        test('the product id of a session or an invoice with one product is stored', async () => {
          const line_items = sessionLines([{ ...PRO, interval: 'year' }]);
          await world.outcome(completed(subscriptionSession('a', world.metadata, { line_items })));
          await world.outcome(paid('b', { lines: invoiceLines(version, 'b', [PRO]) }));
          expect(await products()).toMatchObject([
            { product_id: 'prod_pro', subscription_interval: 'annual' },
            { product_id: 'prod_pro', subscription_interval: 'monthly' },
          ]);
          const line = { product_id: 'prod_pro', price_id: 'price_pro', description: 'The pro', quantity: 1 };
          for (const { line_items: stored } of await products()) {
            expect(JSON.parse(stored ?? '')).toEqual({
              data: [{ ...line, amount_cents: 1000, tax_cents: 0 }],
            });
          }
          expect(await earned()).toEqual([1000, 1000]);
        });

        test('each product earns a commission by its own policy, with its share of shipping, in any order of lines', async () => {
          const order = { amount_total: 2999 };
          for (const [index, lines] of permutations([PRO, BASIC, { name: 'other', amount: 500 }]).entries()) {
            const session = paymentSession(`p${index}`, world.metadata, {
              ...order,
              line_items: sessionLines(lines),
            });
            await world.outcome(completed(session));
          }
          // The base of 2,999 is divided in proportion to the lines: 1,799 for the two products with the default
          // policy, and the rest for the product with its own policy.
          const rows = await parts();
          expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(1);
          const [basic, pro] = rows[0]?.parts ?? [];
          expect(basic).toEqual({
            policyVersionId: 1,
            productIds: ['prod_basic', 'prod_other'],
            baseCents: 1799,
            amountCents: 360,
          });
          expect(pro).toEqual({
            policyVersionId: expect.any(Number),
            productIds: ['prod_pro'],
            baseCents: 1200,
            amountCents: 600,
          });
          expect(rows[0]?.amount_cents).toBe(960);
        });

        test('the trace shows the parts of a commission', async () => {
          const lines = invoiceLines(version, 'a', [PRO, BASIC]);
          await world.outcome(paid('a', { lines }));
          const tracer = await TraceClient.of(world);
          const step = findStep(await tracer.steps('transaction_id=in_a'), 'policy_applied');
          expect(step.why).toContain(
            'The commission is the sum of its parts: each product earns by its own policy.',
          );
          expect(step.detail).toMatchObject({
            amount_cents: 700,
            parts: [
              { product_ids: ['prod_basic'], base_cents: 999, amount_cents: 200 },
              { product_ids: ['prod_pro'], base_cents: 1000, amount_cents: 500 },
            ],
            candidates: [{ verdict: 'chosen' }, { verdict: 'chosen' }],
          });
        });

        test('a partial refund deducts the refunded share of the whole commission', async () => {
          const lines = invoiceLines(version, 'a', [PRO, BASIC]);
          await world.outcome(paid('a', { lines }));
          expect(
            await world.track('refund', { transaction_id: 'in_a', refund_amount_cents: 1000 }),
          ).toMatchObject({
            body: { status: 'refunded', deductionAmount: 3.5 },
          });
        });

        test('session and invoice of a subscription earn the same in either order', async () => {
          const subscribed = (name: string) => completed(subscriptionSession(name, world.metadata));
          const billed = (name: string) => paid(name, { lines: invoiceLines(version, name, [PRO, BASIC]) });
          expect(await world.outcomes(subscribed('a'), billed('a'))).toEqual([
            'parked: details_pending',
            'sale_recorded',
          ]);
          expect(await world.outcomes(billed('b'), subscribed('b'))).toEqual(['sale_recorded', 'duplicate']);
          await wait();
          expect(await earned()).toEqual([700, 700]);
          expect(await world.sales()).toHaveLength(2);
        });

        test('renewals keep the policy of each product', async () => {
          await world.outcome(paid('a', { lines: invoiceLines(version, 'a', [PRO, BASIC]) }));
          await addPolicy({ type: 'percent', rate: 90, product_id: 'prod_basic' });
          const lines = invoiceLines(version, 'a', [PRO, BASIC]);
          await world.outcome(event('invoice.paid', invoice(version, 'r', 'a', world.metadata, { lines })));
          expect(await earned()).toEqual([700, 700]);
        });

        test('a product whose recurring period has ended earns nothing; other products still earn', async () => {
          await addPolicy({ type: 'percent', rate: 40, product_id: 'prod_once', recurring_months: 0 });
          const both = [PRO, { name: 'once', amount: 999 }];
          await world.outcome(paid('a', { lines: invoiceLines(version, 'a', both) }));
          const renewal = (name: string, lines: object) =>
            event('invoice.paid', invoice(version, name, 'a', world.metadata, { lines }));
          expect(
            await world.outcomes(
              renewal('r', invoiceLines(version, 'a', both)),
              renewal('s', invoiceLines(version, 'a', [{ name: 'once', amount: 1999 }])),
            ),
          ).toEqual(['sale_recorded', 'sale_recorded: recurring_ended']);
          expect(await earned()).toEqual([900, 500]);
        });

        test('with the commission base "net", the tax of each line is not counted', async () => {
          await payNet();
          const taxed = [
            { name: 'pro', amount: 1000, tax: 200 },
            { name: 'basic', amount: 1000, tax: 0 },
          ];
          const total = { amount_total: 2200, total_details: { amount_tax: 200, amount_shipping: 0 } };
          await world.outcome(
            completed(paymentSession('a', world.metadata, { ...total, line_items: sessionLines(taxed) })),
          );
          expect(await earned()).toEqual([700]);
        });

        test('service_product_id in the metadata names the product of the whole payment', async () => {
          const metadata = { ...world.metadata, service_product_id: 'prod_pro' };
          await world.outcome(intent('a', { metadata }));
          await world.outcome(
            completed(paymentSession('b', metadata, { line_items: sessionLines([BASIC]) })),
          );
          expect((await products()).map((sale) => sale.product_id)).toEqual(['prod_pro', 'prod_pro']);
          expect(await earned()).toEqual([1000, 1000]);
        });

        test('a flat amount is paid once per policy', async () => {
          await addPolicy({ type: 'flat', amount_cents: 150, product_id: 'prod_flat' });
          const lines = invoiceLines(version, 'a', [
            { name: 'flat', amount: 500 },
            { name: 'flat', amount: 500 },
            { name: 'basic', amount: 999 },
          ]);
          await world.outcome(paid('a', { lines }));
          expect(await earned()).toEqual([350]);
        });

        test('if policies pay in two currencies, the one with the largest base applies to all products', async () => {
          await addPolicy({ type: 'flat', amount_cents: 150, product_id: 'prod_flat' });
          const lines = invoiceLines(version, 'a', [
            { name: 'flat', amount: 500 },
            { name: 'pro', amount: 1499 },
          ]);
          await world.outcome(paid('a', { lines, currency: 'eur' }));
          expect(
            await world.engine.read
              .selectFrom('commissions')
              .select(['amount_cents', 'currency', 'parts'])
              .execute(),
          ).toEqual([{ amount_cents: 1000, currency: 'EUR', parts: null }]);
        });

        test('an API sale with line items earns the same as a webhook payment with the same products', async () => {
          const data = [
            { product_id: 'prod_pro', amount_cents: 1000 },
            { product_id: 'prod_basic', amount_cents: 999, tax_cents: 0 },
          ];
          await world.sell({ transaction_id: 't1', line_items: { data } });
          await world.sell({ transaction_id: 't2', line_items: { data }, product_id: 'prod_basic' });
          await world.sell({ transaction_id: 't3', line_items: { data: [...data, { product_id: 5 }] } });
          expect(await earned()).toEqual([700, 400, 400]);
        });
      });
    });
  });
}
