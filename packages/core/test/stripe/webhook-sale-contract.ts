import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { runConcurrently } from '../support/management-world.ts';
import {
  type ApiVersion,
  CREATED,
  charge,
  event,
  invoice,
  invoicePayment,
  paymentSession,
  subscriptionSession,
} from '../support/stripe-events.ts';
import { type Shape, unchecked } from '../support/stripe-shape.ts';
import { connect, makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { addProgram, START } from '../support/world.ts';

const DAY = 86_400_000;

export function webhookSaleContract(kind: string, open: OpenEngine): void {
  describe(`a webhook sale on ${kind}`, () => {
    let world: WebhookWorld;
    let metadata: Record<string, string>;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      metadata = { ...world.metadata };
    });
    afterEach(() => auditAndClose(world));

    const completed = (name: string, fields: Shape<Stripe.Checkout.Session> = {}, data = metadata) =>
      event('checkout.session.completed', paymentSession(name, data, fields));
    const subscribed = (name: string, fields: Shape<Stripe.Checkout.Session> = {}) =>
      event('checkout.session.completed', subscriptionSession(name, metadata, fields));
    const paid = (version: ApiVersion, name: string, sub: string, fields: Shape<Stripe.Invoice> = {}) =>
      event('invoice.paid', invoice(version, name, sub, metadata, fields));
    const events = () =>
      world.engine.read.selectFrom('processor_events').selectAll().orderBy('event_id').execute();

    test('is recorded by a paid checkout, with commission and all ids of the payment', async () => {
      const reply = await world.send(completed('a'));
      expect(reply).toMatchObject({
        status: 200,
        body: { success: true, received: true, outcome: 'sale_recorded' },
      });
      const [sale] = await world.sales();
      expect(sale).toMatchObject({
        processor_event_id: 'pi_a',
        amount_cents: 1999,
        currency: 'USD',
        sale_type: 'payment',
        is_recurring: 0,
        subscription_id: null,
        customer_key: 'user-1',
        partner_id: world.anna.partnerId,
        sale_at: CREATED * 1000,
      });
      expect(await world.listReferences(sale?.['id'])).toEqual(['cs_a', 'pi_a']);
      expect((await world.balances()).program).toEqual({ USD: 400 });
      expect(await events()).toMatchObject([
        {
          type: 'checkout.session.completed',
          outcome: 'sale_recorded',
          reason: null,
          program_id: world.program.id,
          sale_id: sale?.['id'],
          click_id: null,
          customer_key: 'user-1',
          received_at: START,
        },
      ]);
    });

    test('finds its customer by the click id if the metadata contains no customer key', async () => {
      const click = await world.click('ben');
      const data = { program_id: String(world.program.id), service_click_id: click };
      expect(await world.outcome(completed('a', {}, data as never))).toBe('sale_recorded');
      expect(await world.sales()).toMatchObject([{ partner_id: world.ben.partnerId }]);
    });

    test('is recorded once if 20 copies of an event arrive concurrently, and another copy arrives later', async () => {
      const same = completed('a');
      const replies = await runConcurrently(20, () => world.outcome(same));
      expect(replies.sort()).toEqual([...Array(19).fill('duplicate: event_repeated'), 'sale_recorded']);
      expect(await world.outcome(same)).toBe('duplicate: event_repeated');
      expect(await world.sales()).toHaveLength(1);
    });

    test('is recorded once for 20 concurrent events of one payment', async () => {
      const replies = await runConcurrently(20, () => world.outcome(completed('a')));
      expect(replies.filter((reply) => reply === 'sale_recorded')).toHaveLength(1);
      expect(replies.filter((reply) => reply === 'duplicate')).toHaveLength(19);
      expect(await world.sales()).toHaveLength(1);
    });

    test.each(['acacia', 'current'] as const)(
      'is recorded once by the checkout and first invoice of a subscription, in any order or concurrently (%s)',
      async (version) => {
        for (const [name, send] of [
          ['a', (list: unknown[]) => list],
          ['b', (list: unknown[]) => list.reverse()],
        ] as const) {
          const both = [subscribed(name), paid(version, name, name)];
          for (const one of send(both) as typeof both) await world.outcome(one);
        }
        await Promise.all([world.outcome(subscribed('c')), world.outcome(paid(version, 'c', 'c'))]);
        const sales = await world.sales();
        expect(sales.map((sale) => sale['processor_event_id'])).toEqual(['in_a', 'in_b', 'in_c']);
        expect(sales).toMatchObject(
          ['a', 'b', 'c'].map((name) => ({
            sale_type: 'subscription',
            is_recurring: 0,
            subscription_id: `sub_${name}`,
            amount_cents: 1999,
          })),
        );
        const known = await Promise.all(sales.map((sale) => world.listReferences(sale['id'])));
        const older = (name: string) => (version === 'acacia' ? [`ch_${name}`] : []);
        const intent = (name: string) => (version === 'acacia' ? [`pi_${name}`] : []);
        expect(known).toEqual(
          ['a', 'b', 'c'].map((name) =>
            [...older(name), `cs_${name}`, `in_${name}`, ...intent(name), `sub_${name}`].sort(),
          ),
        );
      },
    );

    test('is recorded once when the checkout of a subscription does not name the invoice', async () => {
      await world.outcome(subscribed('a', { invoice: null }));
      expect(await world.outcome(paid('acacia', 'a', 'a'))).toBe('duplicate');
      expect(await world.sales()).toHaveLength(1);
    });

    test.each(['acacia', 'current'] as const)(
      'is recorded for a renewal, even before the checkout arrives (%s)',
      async (version) => {
        expect(await world.outcome(paid(version, 'r2', 'a'))).toBe('sale_recorded');
        expect(await world.outcome(subscribed('a'))).toBe('sale_recorded');
        const both = paid(version, 'r3', 'a');
        expect(await world.outcome(both)).toBe('sale_recorded');
        expect(await world.outcome({ ...both, id: 'evt_other', type: 'invoice.payment_succeeded' })).toBe(
          'duplicate',
        );
        expect((await world.sales()).map((sale) => sale['processor_event_id'])).toEqual([
          'in_r2',
          'in_a',
          'in_r3',
        ]);
        expect((await world.balances()).program).toEqual({ USD: 1200 });
      },
    );

    const PLACES = {
      'invoice.metadata': (m: object) => ({ metadata: m, lines: { data: [] }, parent: null }),
      'subscription_details.metadata': (m: object) => ({
        subscription: 'sub_a',
        subscription_details: { metadata: m },
        lines: { data: [] },
        parent: null,
      }),
      'parent.subscription_details.metadata': (m: object) => ({
        parent: { subscription_details: { subscription: 'sub_a', metadata: m } },
        lines: { data: [] },
      }),
      'line items': (m: object) => ({ parent: null, lines: { data: [{ metadata: {} }, { metadata: m }] } }),
      'an expanded payment intent': (m: object) => ({
        parent: null,
        lines: { data: [] },
        payment_intent: { id: 'pi_a', metadata: m },
      }),
      'an expanded subscription': (m: object) => ({
        parent: null,
        lines: { data: [] },
        subscription: { id: 'sub_a', metadata: m },
      }),
    };
    test.each(Object.keys(PLACES))('reads metadata from %s', async (place) => {
      const fields = PLACES[place as keyof typeof PLACES](metadata);
      const bare = invoice('current', 'a', 'a', {}, fields);
      expect(await world.outcome(event('invoice.paid', bare))).toBe('sale_recorded');
    });

    test.each([
      [{ payment_status: 'unpaid' }, 'payment_pending'],
      [{ payment_status: 'no_payment_required' }, 'payment_pending'],
      [{ metadata: { program_id: { toString: 1 }, service_customer_key: 'user-1' } }, 'program_not_found'],
      [{ metadata: { program_id: '1', service_customer_key: ['user-1'] } }, 'invalid_customer_key'],
      [{ metadata: { program_id: '1', service_click_id: 'x'.repeat(256) } }, 'invalid_click_id'],
      [{ mode: 'setup', amount_total: null }, 'setup_mode'],
      [{ amount_subtotal: 0, amount_total: 0, payment_status: 'no_payment_required' }, 'zero_amount'],
      [{ metadata: {} }, 'metadata_missing'],
      [{ metadata: { service_customer_key: 'user-1' } }, 'metadata_missing'],
      [{ metadata: { program_id: '1' } }, 'metadata_missing'],
      [{ metadata: { program_id: '999999', service_customer_key: 'user-1' } }, 'program_not_found'],
      [{ metadata: { program_id: 'x', service_customer_key: 'user-1' } }, 'program_not_found'],
      [{ amount_total: 1e300 }, 'invalid_amount_cents'],
      [{ amount_total: -5 }, 'invalid_amount_cents'],
      [{ amount_total: '1999' }, 'invalid_amount_cents'],
      [{ amount_total: null }, 'invalid_amount_cents'],
      [{ currency: null }, 'invalid_currency'],
      [{ currency: 'zzz' }, 'invalid_currency'],
      [{ id: null, payment_intent: null }, 'id_missing'],
    ])('is not recorded for a checkout with %j', async (fields, reason) => {
      const session = completed('a', unchecked(fields));
      expect(await world.outcome(session)).toBe(`ignored: ${reason}`);
      expect(await world.sales()).toEqual([]);
      const isTemporary = reason === 'program_not_found';
      expect(await world.outcome(session)).toBe(
        isTemporary ? `ignored: ${reason}` : 'duplicate: event_repeated',
      );
      expect(await events()).toMatchObject([{ outcome: 'ignored', reason }]);
    });

    test('is recorded when a delayed payment succeeds', async () => {
      const unpaid = paymentSession('a', metadata, { payment_status: 'unpaid' });
      expect(await world.outcome(event('checkout.session.completed', unpaid))).toBe(
        'ignored: payment_pending',
      );
      const failed = event('checkout.session.async_payment_failed', unpaid);
      expect(await world.outcome(failed)).toBe('ignored: payment_failed');
      const paidNow = paymentSession('a', metadata);
      expect(await world.outcome(event('checkout.session.async_payment_succeeded', paidNow))).toBe(
        'sale_recorded',
      );
    });

    test('is ignored while its customer is unknown, and recorded when it is redelivered after the lead', async () => {
      const data = { program_id: String(world.program.id), service_customer_key: 'user-2' };
      const session = completed('a', {}, data);
      expect(await world.outcome(session)).toBe('ignored: sale_customer_not_found');
      expect(await world.outcome(session)).toBe('ignored: sale_customer_not_found');
      await world.track('lead', { click_id: await world.click('ben'), customer_key: 'user-2' });
      expect(await world.outcome(session)).toBe('sale_recorded');
      expect(await world.outcome(session)).toBe('duplicate: event_repeated');
      expect(await events()).toMatchObject([{ outcome: 'sale_recorded', reason: null }]);
    });

    test('is recorded only for programs of the connection’s own workspace', async () => {
      const otherWorkspace = await world.call(
        'POST',
        '/api/advertiser/workspaces',
        { name: 'Other' },
        world.session,
      );
      const { id } = otherWorkspace.body['data'] as { id: number };
      const foreign = await addProgram(world, id, 'carl');
      const sibling = await addProgram(world, world.workspaceId, 'dora');
      const click = await world.click('dora');
      const data = (programId: number) => ({ program_id: String(programId), service_click_id: click });
      const session = completed('a', {}, data(foreign.program.id) as never);
      expect(await world.outcome(session)).toBe('ignored: foreign_program');
      expect(await world.outcome(completed('b', {}, data(sibling.program.id) as never))).toBe(
        'sale_recorded',
      );
      expect(await world.outcome(completed('c', {}, data(world.program.id) as never))).toBe(
        'ignored: no_affiliate_attribution',
      );
    });

    test('is not recorded for a deleted program', async () => {
      const otherProgram = await addProgram(world, world.workspaceId, 'carl');
      const path = `/api/advertiser/affiliate-programs/${otherProgram.program.id}`;
      expect(await world.call('DELETE', path, undefined, world.session)).toMatchObject({ status: 200 });
      const data = { program_id: String(otherProgram.program.id), service_customer_key: 'user-1' };
      expect(await world.outcome(completed('a', {}, data))).toBe('ignored: program_not_found');
    });

    test('has the time of its event, or the current time if the event time is out of range', async () => {
      await world.outcome({ ...completed('a'), created: CREATED - 3600 });
      await world.outcome({ ...completed('b'), created: CREATED - 91 * 86_400 });
      await world.outcome({ ...completed('c'), created: CREATED + 3600 });
      await world.outcome({ ...completed('d'), created: 1e300 });
      expect((await world.sales()).map((sale) => sale['sale_at'])).toEqual([
        START - 3_600_000,
        START,
        START,
        START,
      ]);
    });

    test('is recorded with reason window_expired after the attribution window', async () => {
      world.clock.now += 61 * DAY;
      const late = { ...completed('a'), created: CREATED + 61 * 86_400 };
      expect(await world.outcome(late)).toBe('sale_recorded: window_expired');
    });

    test.each([
      { transaction_id: 'pi_a' },
      { transaction_id: 'cs_a' },
      { transaction_id: 'order-1', processor_refs: ['cs_a'] },
    ])(
      'is a duplicate if the API has already reported the payment, and adds its ids to the recorded sale: %j',
      async (body) => {
        await world.sell(body);
        expect(await world.outcome(completed('a'))).toBe('duplicate');
        const [sale, ...more] = await world.sales();
        expect(more).toEqual([]);
        expect(await world.listReferences(sale?.['id'])).toEqual(
          [...new Set(['cs_a', 'pi_a', body.transaction_id])].sort(),
        );
      },
    );

    test.each([
      { transaction_id: 'pi_a' },
      { transaction_id: 'cs_a' },
      { transaction_id: 'order-1', processor_refs: ['pi_a', 'x_a'] },
    ])('is not recorded again by the API: %j', async (body) => {
      expect(await world.outcome(completed('a'))).toBe('sale_recorded');
      expect(await world.sell(body)).toMatchObject({ status: 409, body: { code: 'duplicate_transaction' } });
      const [sale, ...more] = await world.sales();
      expect(more).toEqual([]);
      const named = [body.transaction_id, ...('processor_refs' in body ? (body.processor_refs ?? []) : [])];
      if (named.length > 1)
        expect(await world.listReferences(sale?.['id'])).toEqual(expect.arrayContaining(named));
    });

    test('is recorded once when API and webhook arrive concurrently', async () => {
      const bodies = (name: string) => [
        { transaction_id: `pi_${name}` },
        { transaction_id: `order-${name}`, processor_refs: [`cs_${name}`] },
      ];
      for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
        const calls = [() => world.send(completed(name)), () => world.sell({ ...bodies(name)[index % 2] })];
        if (index > 1) calls.reverse();
        await Promise.all(calls.map((call) => call()));
      }
      expect(await world.sales()).toHaveLength(4);
    });

    test('is a duplicate of an API sale with another id if an invoice_payment event links the two ids', async () => {
      expect(await world.outcome(event('invoice_payment.paid', invoicePayment('a')))).toBe('tied');
      expect(await world.sell({ transaction_id: 'pi_a' })).toMatchObject({ status: 200 });
      expect(await world.outcome(paid('current', 'a', 'a'))).toBe('duplicate');
      expect(await world.sales()).toHaveLength(1);
    });

    test('is found by an API call with the charge id if an event has linked the charge to the payment', async () => {
      expect(await world.outcome(event('charge.succeeded', charge('current', 'a', 0)))).toBe('tied');
      expect(await world.outcome(completed('a'))).toBe('sale_recorded');
      expect(await world.sell({ transaction_id: 'ch_a' })).toMatchObject({ status: 409 });
    });

    test('is recorded once if two connections of the workspace receive its event', async () => {
      const otherConnection = await connect(world, world.session, world.workspaceId, 'whsec_other');
      const same = completed('a');
      expect((await world.send(same)).body).toMatchObject({ outcome: 'sale_recorded' });
      expect((await world.send(same, otherConnection)).body).toEqual({
        success: true,
        received: true,
        outcome: 'duplicate',
      });
      const refund = event('charge.refunded', charge('current', 'a', 500));
      expect((await world.send(refund, otherConnection)).body).toMatchObject({ outcome: 'refunded' });
      expect((await world.send(refund)).body).toMatchObject({ reason: 'already_applied' });
    });

    test('is not recorded for an event of an unsupported type, and the event is not stored', async () => {
      const unsupported = event('customer.created', { id: 'cus_1' });
      expect(await world.outcome(unsupported)).toBe('ignored: unsupported_type');
      expect(await world.outcome(unsupported)).toBe('ignored: unsupported_type');
      expect(await events()).toEqual([]);
    });

    test('leaves nothing stored after a temporary failure, and is recorded when its event is redelivered', async () => {
      const session = completed('a');
      const write = world.engine.write.bind(world.engine);
      const { runtime } = world.affkit;
      Object.assign(runtime, {
        engine: {
          ...world.engine,
          write: (lane: number, work: Parameters<typeof write>[1]) =>
            write(lane, async (tx) => {
              await work(tx);
              throw Object.assign(new Error('deadlock'), { code: '40P01' });
            }),
        },
      });
      expect(await world.send(session)).toMatchObject({
        status: 500,
        headers: { 'x-should-retry': 'true' },
      });
      Object.assign(runtime, { engine: world.engine });
      expect(await events()).toEqual([]);
      expect(await world.outcome(session)).toBe('sale_recorded');
    });
  });
}
