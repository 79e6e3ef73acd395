import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { permutations } from '../support/permutations.ts';
import {
  chargeWithoutInvoice,
  event,
  FREE_INVOICE,
  FREE_SESSION,
  invoice,
  paymentIntent,
  paymentSession,
  subscriptionSession,
} from '../support/stripe-events.ts';
import { type Shape, unchecked } from '../support/stripe-shape.ts';
import { findStep, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { apiVersionsFor } from './api-versions.ts';

export function paymentSourceContract(kind: string, open: OpenEngine): void {
  describe(`the sources of a payment on ${kind}`, () => {
    let world: WebhookWorld;
    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterEach(() => auditAndClose(world));

    const completed = (session: object) => event('checkout.session.completed', { ...session });

    describe.each(apiVersionsFor(kind))('with API version %s', (version) => {
      const intent = (name: string, fields: Shape<Stripe.PaymentIntent> = {}) =>
        event('payment_intent.succeeded', paymentIntent(version, name, world.metadata, fields));
      const charged = (name: string, fields: Shape<Stripe.Charge> = {}) =>
        event(
          'charge.succeeded',
          chargeWithoutInvoice(version, name, 0, { metadata: world.metadata, ...fields }),
        );

      test('a payment intent with metadata records the sale, without a checkout session', async () => {
        expect(await world.outcome(intent('a'))).toBe('sale_recorded');
        const [sale] = await world.sales();
        expect(sale).toMatchObject({
          processor_event_id: 'pi_a',
          amount_cents: 1999,
          currency: 'USD',
          sale_type: 'payment',
          is_recurring: 0,
          partner_id: world.anna.partnerId,
        });
        expect(await world.listReferences(sale?.['id'])).toEqual(['ch_a', 'pi_a']);
        expect((await world.balances()).program).toEqual({ USD: 400 });
      });

      test('a charge with metadata records a sale with the id of its payment intent, or with its own id', async () => {
        expect(await world.outcomes(charged('a'), charged('b', { payment_intent: null }))).toEqual([
          'sale_recorded',
          'sale_recorded',
        ]);
        expect((await world.sales()).map((sale) => sale['processor_event_id'])).toEqual(['pi_a', 'ch_b']);
      });

      test('records the captured amount, and nothing for a charge that is not captured', async () => {
        expect(await world.outcome(charged('a', { captured: false, amount_captured: 0 }))).toBe('tied');
        expect(await world.outcome(intent('a', { amount_received: 1500 }))).toBe('sale_recorded');
        expect(await world.sales()).toMatchObject([{ amount_cents: 1500 }]);
      });

      test('an intent or charge only links ids if it belongs to an invoice or its metadata is incomplete', async () => {
        expect(
          await world.outcomes(
            intent('a', { metadata: {} }),
            intent('b', { metadata: { program_id: '1' } }),
            intent('c', unchecked({ invoice: 'in_c' })),
            charged('d', unchecked({ invoice: 'in_d' })),
          ),
        ).toEqual(['tied', 'tied', 'tied', 'tied']);
        expect(await world.sales()).toEqual([]);
      });

      test('intent, charge and session of a payment are one sale in any order', async () => {
        for (const [index, order] of permutations(['intent', 'charge', 'session']).entries()) {
          const name = `p${index}`;
          const events = {
            intent: intent(name),
            charge: charged(name),
            session: completed(paymentSession(name, world.metadata)),
          };
          const outcomes = await world.outcomes(...order.map((one) => events[one as keyof typeof events]));
          expect(outcomes.toSorted()).toEqual(['duplicate', 'duplicate', 'sale_recorded']);
        }
        const sales = await world.sales();
        expect(sales).toHaveLength(6);
        for (const [index, sale] of sales.entries()) {
          expect(sale).toMatchObject({ processor_event_id: `pi_p${index}`, amount_cents: 1999 });
          expect(await world.listReferences(sale['id'])).toEqual(
            [`ch_p${index}`, `cs_p${index}`, `pi_p${index}`].sort(),
          );
        }
        expect((await world.balances()).program).toEqual({ USD: 2400 });
      });

      test('a refund before or after the payment intent is deducted once', async () => {
        const refund = (name: string) => event('charge.refunded', chargeWithoutInvoice(version, name, 1999));
        expect(await world.outcomes(refund('a'), intent('a'))).toEqual([
          'parked: payment_unknown',
          'sale_recorded',
        ]);
        expect(await world.outcomes(intent('b'), refund('b'))).toEqual([
          'sale_recorded',
          'refunded: reversed',
        ]);
        expect((await world.balances()).program).toEqual({ USD: 0 });
      });

      test('only the renewals of a subscription are recurring, in either order of its first two events', async () => {
        const paid = (name: string, sub: string) =>
          event('invoice.paid', invoice(version, name, sub, world.metadata));
        const subscribed = (name: string) => completed(subscriptionSession(name, world.metadata));
        await world.outcomes(subscribed('a'), paid('a', 'a'), paid('r', 'a'));
        await world.outcomes(paid('b', 'b'), subscribed('b'), paid('s', 'b'));
        expect(
          (await world.sales()).map((sale) => [sale['processor_event_id'], sale['is_recurring']]),
        ).toEqual([
          ['in_a', 0],
          ['in_r', 1],
          ['in_b', 0],
          ['in_s', 1],
        ]);
      });

      test('a coupon of 100 % records a sale of 0 without a commission', async () => {
        const first = completed(subscriptionSession('a', world.metadata, FREE_SESSION));
        const bill = event('invoice.paid', invoice(version, 'a', 'a', world.metadata, FREE_INVOICE));
        const once = completed(paymentSession('b', world.metadata, FREE_SESSION));
        expect(await world.outcomes(bill, first, once)).toEqual([
          'sale_recorded: zero_amount',
          'duplicate',
          'sale_recorded: zero_amount',
        ]);
        expect(await world.sales()).toMatchObject([
          { processor_event_id: 'in_a', amount_cents: 0, is_recurring: 0 },
          { processor_event_id: 'cs_b', amount_cents: 0 },
        ]);
        expect(await world.commissions()).toEqual([]);
        const tracer = await TraceClient.of(world);
        expect(findStep(await tracer.steps('transaction_id=cs_b'), 'zero_amount')).toMatchObject({
          step: 'no_commission',
          why: 'A discount covered the whole price. Nothing was paid, so the sale earns no commission.',
        });
        expect(await world.track('refund', { transaction_id: 'cs_b' })).toMatchObject({
          status: 200,
          body: { status: 'no_commission' },
        });
      });

      test('the first paid renewal after a free payment earns a commission', async () => {
        await world.outcome(completed(subscriptionSession('a', world.metadata, FREE_SESSION)));
        const renewal = event('invoice.paid', invoice(version, 'r', 'a', world.metadata));
        expect(await world.outcome(renewal)).toBe('sale_recorded');
        expect((await world.balances()).program).toEqual({ USD: 400 });
      });

      test('a trial, or an amount paid from a credit balance, is not a sale', async () => {
        const trial = { ...FREE_SESSION, amount_subtotal: 0, total_details: null };
        const credit = { amount_due: 0, amount_paid: 0 };
        expect(
          await world.outcomes(
            completed(subscriptionSession('a', world.metadata, trial)),
            event('invoice.paid', invoice(version, 'b', 'a', world.metadata, credit)),
            completed(paymentSession('c', {}, FREE_SESSION)),
          ),
        ).toEqual(['ignored: zero_amount', 'ignored: zero_amount', 'ignored: metadata_missing']);
      });
    });

    test('the list of events contains a sale of 0', async () => {
      await world.outcome(completed(paymentSession('a', world.metadata, FREE_SESSION)));
      const path = `/api/tracking/events/${world.program.id}?eventType=conversion`;
      // The request fails if the API description does not allow the amount.
      expect((await world.call('GET', path, undefined, world.session)).body).toMatchObject({
        data: [{ processor_event_id: 'cs_a', amount_cents: 0, no_commission_reason: 'zero_amount' }],
      });
    });

    test('the API still requires a positive amount', async () => {
      expect(await world.sell({ transaction_id: 'free', amount_cents: 0 })).toMatchObject({
        status: 400,
        body: { error: 'amount_cents is required and must be a positive integer' },
      });
    });
  });
}
