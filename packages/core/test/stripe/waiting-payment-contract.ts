import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { runConcurrently } from '../support/management-world.ts';
import {
  event,
  invoice,
  invoicePayment,
  paymentIntent,
  paymentSession,
  subscriptionSession,
} from '../support/stripe-events.ts';
import { invoiceLines } from '../support/stripe-lines.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { addProgram, unwrap } from '../support/world.ts';
import { apiVersionsFor } from './api-versions.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const WAIT_MS = 600_000;

type Metadata = Readonly<Record<string, string>>;

export function waitingPaymentContract(kind: string, open: OpenEngine): void {
  describe.each(apiVersionsFor(kind))(
    `a payment that waits for its details on ${kind}, API version %s`,
    (version) => {
      let world: WebhookWorld;
      beforeEach(async () => {
        world = await makeWebhookWorld(await open());
        const policy = { type: 'percent', rate: 50, product_id: 'prod_pro' };
        const path = `${PROGRAMS}/${world.program.id}/commission-policies`;
        expect(await world.call('POST', path, policy, world.session)).toMatchObject({ status: 201 });
      });
      afterEach(() => auditAndClose(world));

      /** Advances the clock by the time that a payment waits for its details, then runs the jobs. */
      const wait = async () => {
        world.clock.now += WAIT_MS;
        await world.affkit.jobs.runOnce();
      };
      const intent = (name: string, metadata: Metadata = world.metadata) =>
        event('payment_intent.succeeded', paymentIntent(version, name, metadata));
      const subscribed = (name: string, metadata: Metadata, fields = {}) =>
        event('checkout.session.completed', subscriptionSession(name, metadata, fields));
      /** The event of an invoice for the product that has its own policy. */
      const paid = (name: string, metadata: Metadata) => {
        const lines = invoiceLines(version, name, [{ name: 'pro', amount: 1999 }]);
        return event('invoice.paid', invoice(version, name, name, metadata, { lines }));
      };
      const remove = (programId = world.program.id) =>
        world.call('DELETE', `${PROGRAMS}/${programId}`, undefined, world.session);
      const earned = async () =>
        (
          await world.engine.read.selectFrom('commissions').select('amount_cents').orderBy('id').execute()
        ).map((row) => row.amount_cents);
      const details = () =>
        world.engine.read
          .selectFrom('sales')
          .select(['product_id', 'subscription_interval', 'line_items', 'tax_cents', 'shipping_cents'])
          .select(['base_cents', 'customer_key', 'subscription_id', 'sale_at'])
          .orderBy('id')
          .execute();

      test('prevents the deletion of its program until it is recorded or ignored', async () => {
        expect(await world.outcome(intent('a'))).toBe('parked: details_pending');
        expect(await remove()).toMatchObject({ status: 409, body: { code: 'program_has_balance' } });
        await wait();
        expect(await world.commissions()).toMatchObject([{ id: 'pi_a', status: 'approved' }]);
        await world.track('refund', { transaction_id: 'pi_a' });
        const unknown = { ...world.metadata, service_customer_key: 'user-2' };
        expect(await world.outcome(intent('b', unknown))).toBe('parked: details_pending');
        expect(await remove()).toMatchObject({ status: 409, body: { code: 'program_has_balance' } });
        await wait();
        expect(await remove()).toMatchObject({ status: 200 });
        expect(await world.outcome(intent('c'))).toBe('ignored: program_not_found');
      });

      test('does not prevent the deletion of another program', async () => {
        const { program } = await addProgram(world, world.workspaceId, 'carl');
        expect(await world.outcome(intent('a'))).toBe('parked: details_pending');
        expect(await remove(program.id)).toMatchObject({ status: 200 });
        await wait();
        expect(await world.commissions()).toMatchObject([{ id: 'pi_a', status: 'approved' }]);
      });

      test('is recorded from its invoice as if the invoice also had the metadata of the session', async () => {
        const metadata = { ...world.metadata, service_tax_cents: '300' };
        for (const [name, copied] of Object.entries({ a: metadata, b: {} })) {
          expect(await world.outcomes(subscribed(name, metadata), paid(name, copied))).toEqual([
            'parked: details_pending',
            'sale_recorded',
          ]);
        }
        await wait();
        const [first, second, ...more] = await details();
        expect(more).toEqual([]);
        expect(first).toMatchObject({ product_id: 'prod_pro', tax_cents: 300, subscription_id: 'sub_a' });
        expect({ ...second, subscription_id: 'sub_a' }).toEqual({
          ...first,
          line_items: first?.line_items?.replaceAll('_a', '_b'),
        });
        expect(await earned()).toEqual([1000, 1000]);
        expect((await world.sales()).map((sale) => sale['processor_event_id'])).toEqual(['in_a', 'in_b']);
      });

      test('is recorded once when events of its invoice without metadata arrive concurrently', async () => {
        await world.outcome(subscribed('a', world.metadata));
        const outcomes = await runConcurrently(5, () => world.outcome(paid('a', {})));
        expect(outcomes.sort()).toEqual([...Array(4).fill('duplicate'), 'sale_recorded']);
        const bill = paid('a', {});
        expect(await world.outcomes(bill, bill)).toEqual(['duplicate', 'duplicate: event_repeated']);
        await wait();
        expect(await earned()).toEqual([1000]);
      });

      test('is found by an invoice without metadata if another event has connected their ids', async () => {
        expect(
          await world.outcomes(
            intent('a'),
            event('invoice_payment.paid', invoicePayment('a')),
            paid('a', {}),
          ),
        ).toEqual(['parked: details_pending', 'tied', 'sale_recorded']);
        await wait();
        expect(await earned()).toEqual([1000]);
      });

      test('gets tax and shipping from a session without metadata', async () => {
        unwrap(await changeProgram(world.affkit.runtime, world.program, { commission_base: 'net' }));
        const session = paymentSession(
          'a',
          {},
          {
            total_details: { amount_discount: 0, amount_shipping: 500, amount_tax: 300 },
            shipping_cost: { amount_subtotal: 500, amount_tax: 50, amount_total: 550 },
          },
        );
        expect(await world.outcomes(intent('a'), event('checkout.session.completed', session))).toEqual([
          'parked: details_pending',
          'sale_recorded',
        ]);
        await wait();
        expect(await details()).toMatchObject([{ tax_cents: 300, shipping_cents: 500, base_cents: 1199 }]);
        expect(await earned()).toEqual([240]);
      });

      test.each([
        ['from its invoice', true, 1000],
        ['after 10 minutes', false, 400],
      ])(
        'is recorded %s, even if an event in between has neither metadata nor details',
        async (_what, isBilled, cents) => {
          const linked = { payment_intent: 'pi_a' };
          expect(await world.outcomes(intent('a'), subscribed('a', {}, linked))).toEqual([
            'parked: details_pending',
            'parked: details_pending',
          ]);
          if (isBilled) expect(await world.outcome(paid('a', {}))).toBe('sale_recorded');
          await wait();
          expect(await earned()).toEqual([cents]);
          expect(await world.engine.read.selectFrom('pending_payments').selectAll().execute()).toEqual([]);
        },
      );

      test('is recorded when its invoice without metadata is redelivered after the lead', async () => {
        const bill = paid('a', {});
        await world.outcome(subscribed('a', { ...world.metadata, service_customer_key: 'user-2' }));
        expect(await world.outcome(bill)).toBe('ignored: sale_customer_not_found');
        await world.track('lead', { click_id: await world.click('anna'), customer_key: 'user-2' });
        expect(await world.outcome(bill)).toBe('sale_recorded');
        expect(await earned()).toEqual([1000]);
      });

      test('is not completed by an invoice of another payment, or by an invoice that arrived before it', async () => {
        expect(await world.outcomes(paid('a', {}), subscribed('a', world.metadata), paid('b', {}))).toEqual([
          'ignored: metadata_missing',
          'parked: details_pending',
          'ignored: metadata_missing',
        ]);
        await wait();
        expect(await earned()).toEqual([400]);
      });
    },
  );
}
