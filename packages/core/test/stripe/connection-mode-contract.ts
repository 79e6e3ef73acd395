import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { invoicePayment, event as stripeEvent } from '../support/stripe-events.ts';
import { CONNECTIONS, makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

export function connectionModeContract(kind: string, open: OpenEngine): void {
  describe(`the mode of a processor connection on ${kind}`, () => {
    let world: WebhookWorld;
    let path: string;
    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      const reply = await world.call('GET', CONNECTIONS, undefined, world.session);
      const [connection] = reply.body['data'] as { id: number }[];
      path = `${CONNECTIONS}/${connection?.id}`;
    });
    afterEach(() => auditAndClose(world));

    const change = (fields: object) => world.call('PUT', path, fields, world.session);
    const paid = (name: string, fields: object) => ({ ...world.completed(name), ...fields });
    const saleRows = () =>
      world.engine.read
        .selectFrom('sales')
        .select(['processor_event_id', 'is_test', 'amount_cents', 'customer_id'])
        .execute();

    test('is live by default, and can be changed', async () => {
      const first = await change({});
      expect(first.body['data']).toMatchObject({ mode: 'live', record_test_events: false });
      const changed = await change({ mode: 'test', record_test_events: true });
      expect(changed.body['data']).toMatchObject({ mode: 'test', record_test_events: true });
      expect(await change({ mode: 'sandbox' })).toMatchObject({
        status: 400,
        body: { error: 'mode must be live or test' },
      });
    });

    test('the mode live ignores test events of every kind', async () => {
      const events = [
        world.completed('1'),
        world.refunded('1', 500),
        stripeEvent('invoice_payment.paid', invoicePayment('1')),
        world.completed('2', { metadata: {} }),
      ];
      for (const one of events) {
        expect(await world.outcome({ ...one, livemode: false })).toBe('ignored: test_event');
      }
      expect(await saleRows()).toEqual([]);
      expect(await world.engine.read.selectFrom('processor_charges').selectAll().execute()).toEqual([]);
      expect(await world.outcome(paid('1', {}))).toBe('sale_recorded');
    });

    test('the mode test ignores live events, and applies test events', async () => {
      await change({ mode: 'test' });
      expect(await world.outcome(paid('1', { livemode: true }))).toBe('ignored: live_event');
      expect(await world.outcome(paid('2', { livemode: false }))).toBe('sale_recorded');
      expect(await world.outcome({ ...world.refunded('2', 1999), livemode: false })).toBe(
        'refunded: reversed',
      );
    });

    test('a resent event is processed again after the mode was corrected', async () => {
      const event = paid('1', { livemode: false });
      expect(await world.outcome(event)).toBe('ignored: test_event');
      await change({ mode: 'test' });
      expect(await world.outcome(event)).toBe('sale_recorded');
      expect(await world.outcome(event)).toBe('duplicate: event_repeated');
    });

    test('test payments are recorded as test sales, without other effects, if record_test_events is set', async () => {
      await change({ record_test_events: true });
      const event = paid('1', { livemode: false });
      expect(await world.outcome(event)).toBe('test_recorded');
      expect(await world.outcome({ ...event, id: 'evt_again' })).toBe('duplicate');
      expect(await world.outcome({ ...world.refunded('1', 1999), livemode: false })).toBe(
        'ignored: test_event',
      );
      const foreign = { metadata: { program_id: '999', service_customer_key: 'user-1' } };
      expect(await world.outcome({ ...world.completed('2', foreign), livemode: false })).toBe(
        'ignored: program_not_found',
      );
      expect(await saleRows()).toEqual([
        { processor_event_id: 'pi_1', is_test: 1, amount_cents: 1999, customer_id: null },
      ]);
      expect(await world.commissions()).toEqual([]);
      expect(await world.outcome(paid('1', { livemode: true }))).toBe('sale_recorded');
      expect(await world.commissions()).toHaveLength(1);
    });

    test('an event of another account is ignored', async () => {
      expect(await world.outcome(paid('1', { account: 'acct_other' }))).toBe('ignored: other_account');
      expect(await world.outcome(paid('1', { account: 'acct_1' }))).toBe('sale_recorded');
    });

    test('an event that names neither mode nor account is applied', async () => {
      const { livemode, ...event } = world.completed('1');
      expect(livemode).toBe(true);
      expect((await world.send(event)).body['outcome']).toBe('sale_recorded');
    });
  });
}
