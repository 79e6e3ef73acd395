import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AffkitOptions } from '../../src/options.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { permutations } from '../support/permutations.ts';
import {
  charge,
  event,
  invoice,
  invoicePayment,
  refund,
  subscriptionSession,
} from '../support/stripe-events.ts';
import { connect, makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { START, signInOwner } from '../support/world.ts';

const HOUR = 3_600_000;
const PROGRAMS = '/api/advertiser/affiliate-programs';

export function parkedRefundContract(
  kind: string,
  open: OpenEngine,
  options: Partial<AffkitOptions> = {},
): void {
  describe(`a refund of an unknown sale on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open(), {}, options);
    });
    afterEach(() => auditAndClose(world));

    const remove = (session = world.session) =>
      world.call('DELETE', `${PROGRAMS}/${world.program.id}`, undefined, session);

    const LATE: [string, (name: string) => Promise<unknown>][] = [
      ['checkout', (name) => world.send(world.completed(name))],
      [
        'API sale with its payment intent as transaction id',
        (name) => world.sell({ transaction_id: `pi_${name}` }),
      ],
      ['API sale with its charge as transaction id', (name) => world.sell({ transaction_id: `ch_${name}` })],
      [
        'API sale with references',
        (name) => world.sell({ transaction_id: `order-${name}`, processor_refs: [`pi_${name}`] }),
      ],
      [
        'repeated API sale with references',
        async (name) => {
          await world.sell({ transaction_id: `order-${name}` });
          expect(await world.commissions()).toMatchObject([{ deducted_cents: 0 }]);
          return world.sell({ transaction_id: `order-${name}`, processor_refs: [`pi_${name}`] });
        },
      ],
      [
        'event that links the payment to a recorded invoice',
        async (name) => {
          await world.outcome(event('invoice.paid', invoice('current', name, name, world.metadata)));
          expect(await world.commissions()).toMatchObject([{ deducted_cents: 0 }]);
          return world.send(event('invoice_payment.paid', invoicePayment(name)));
        },
      ],
      [
        'invoice that was linked to the payment before',
        async (name) => {
          await world.outcome(event('invoice_payment.paid', invoicePayment(name)));
          return world.send(event('invoice.paid', invoice('current', name, name, world.metadata)));
        },
      ],
    ];
    test.each(LATE)('is parked until its payment arrives, then applied: %s', async (_name, deliver) => {
      const refund = world.refunded('a', 500);
      expect(await world.outcomes(refund, refund)).toEqual([
        'parked: payment_unknown',
        'duplicate: event_repeated',
      ]);
      expect(await deliver('a')).toMatchObject({});
      expect(await world.commissions()).toMatchObject([{ status: 'refunded', deducted_cents: 100 }]);
      world.clock.now += 48 * HOUR;
      await world.affkit.jobs.runOnce();
      expect(await world.listNotifications('refund_parked')).toEqual([]);
    });

    test('notifies the advertiser once after 24 hours, and stays parked', async () => {
      await world.outcome(world.refunded('a', 500));
      const warnings = async (at: number) => {
        world.clock.now = START + at;
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        return (await world.listNotifications('refund_parked')).length;
      };
      expect([await warnings(0), await warnings(24 * HOUR - 1), await warnings(24 * HOUR)]).toEqual([
        0, 0, 1,
      ]);
      expect(await warnings(72 * HOUR)).toBe(1);
      const payload = {
        charge: 'ch_a',
        refundAmountCents: 500,
        refundCurrency: 'USD',
        parkedAt: new Date(START).toISOString(),
      };
      expect(await world.listNotifications('refund_parked')).toEqual([{ ...world.advertiser, payload }]);
      const { status, body } = await world.call(
        'GET',
        `/api/advertiser/notifications?workspace_id=${world.workspaceId}`,
        undefined,
        await signInOwner(world),
      );
      expect({ status, data: body['data'] }).toMatchObject({
        status: 200,
        data: [{ kind: 'refund_parked', details: { charge: 'ch_a', refund_amount_cents: 500 } }],
      });
      expect(await world.outcome(world.completed('a'))).toBe('sale_recorded');
      expect(await world.commissions()).toMatchObject([{ deducted_cents: 100 }]);
    });

    test.each([
      ['no metadata', { metadata: {} }, 0],
      ['a customer without a partner', { metadata: { program_id: '1', service_customer_key: 'user-9' } }, 0],
      ['a pending payment', { payment_status: 'unpaid' as const }, 1],
    ])(
      'notifies only if a partner may have referred the payment: a checkout with %s (%j) causes %i notifications',
      async (_name, fields, count) => {
        const { metadata } = { metadata: {}, ...fields };
        const named =
          'program_id' in metadata ? { ...metadata, program_id: world.metadata.program_id } : metadata;
        await world.outcome(world.completed('a', { ...fields, metadata: named }));
        expect(await world.outcome(world.refunded('a', 500))).toBe('parked: payment_unknown');
        world.clock.now += 25 * HOUR;
        await world.affkit.jobs.runOnce();
        await world.affkit.jobs.runOnce();
        expect(await world.listNotifications('refund_parked')).toHaveLength(count);
      },
    );

    test('is applied by a job if two processes stored it and the payment id of its sale at the same time', async () => {
      await world.outcomes(world.refunded('a', 500), world.completed('b'));
      // Creates the state that two processes leave when they concurrently store the refund and the payment id.
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db
          .insertInto('processor_refs')
          .values({ workspace_id: world.workspaceId, ref: 'pi_a', program_id: world.program.id, sale_id: 1 })
          .execute(),
      );
      world.clock.now += 60_000;
      await world.affkit.jobs.runOnce();
      expect(await world.commissions()).toEqual([{ id: 'pi_b', status: 'refunded', deducted_cents: 100 }]);
    });

    test('does not roll back a sale without a commission; the refund is applied when a job creates the commission', async () => {
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db.updateTable('policies').set({ deleted_at: START }).execute(),
      );
      expect(await world.outcomes(world.refunded('a', 500), world.completed('a'))).toEqual([
        'parked: payment_unknown',
        'sale_recorded: commission_owed',
      ]);
      expect(await world.commissions()).toEqual([]);
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db.updateTable('policies').set({ deleted_at: null }).execute(),
      );
      world.clock.now += 3_600_000;
      await world.affkit.jobs.runOnce();
      expect(await world.commissions()).toEqual([{ id: 'pi_a', status: 'refunded', deducted_cents: 100 }]);
    });

    test('does not block other parked refunds if applying it fails, and is retried later', async () => {
      await world.outcomes(world.completed('c'), world.refunded('a', 500), world.refunded('b', 500));
      await world.engine.write(world.workspaceId, async (tx) => {
        const refs = [
          { ref: 'pi_a', sale_id: 1 },
          { ref: 'pi_b', sale_id: 1 },
        ];
        const row = { workspace_id: world.workspaceId, program_id: world.program.id };
        await tx.db
          .insertInto('processor_refs')
          .values(refs.map((ref) => ({ ...row, ...ref })))
          .execute();
        await tx.db
          .updateTable('processor_charges')
          .set({ check_at: 1 })
          .where('charge', '=', 'ch_a')
          .execute();
      });
      const write = world.engine.write.bind(world.engine);
      let failures = 0;
      Object.assign(world.affkit.runtime, {
        engine: {
          ...world.engine,
          write: (lane: number, work: Parameters<typeof write>[1]) =>
            write(lane, async (tx) => {
              const result = await work(tx);
              const broken = await tx.db
                .selectFrom('processor_charges')
                .select('charge')
                .where('charge', '=', 'ch_a')
                .where('sale_id', 'is not', null)
                .execute();
              if (broken.length === 0) return result;
              failures += 1;
              throw new Error('broken');
            }),
        },
      });
      world.clock.now += 60_000;
      await world.affkit.jobs.runOnce();
      Object.assign(world.affkit.runtime, { engine: world.engine });
      expect(failures).toBe(1);
      const charges = () =>
        world.engine.read
          .selectFrom('processor_charges')
          .select(['charge', 'sale_id'])
          .orderBy('charge')
          .execute();
      expect(await charges()).toEqual([
        { charge: 'ch_a', sale_id: null },
        { charge: 'ch_b', sale_id: 1 },
      ]);
      world.clock.now += 600_000;
      await world.affkit.jobs.runOnce();
      expect(await charges()).toMatchObject([{ sale_id: 1 }, { sale_id: 1 }]);
    });

    test('prevents, while it is parked, the deletion of the program that its metadata names', async () => {
      await world.outcome(world.refunded('a', 500, 1999, { metadata: world.metadata }));
      expect(await remove()).toMatchObject({
        status: 409,
        body: { code: 'program_has_balance' },
      });
      await world.outcomes(world.completed('a', { amount_total: 500 }));
      expect((await world.balances()).program).toEqual({ USD: 0 });
      expect(await remove()).toMatchObject({ status: 200 });
      expect(await world.outcome(world.refunded('a', 1999))).toBe('ignored: program_not_found');
    });

    test.each([
      ['of the refund', false],
      ['of the refund and its charge', true],
    ])(
      'neither prevents the deletion of the program nor causes a notification once the refund has failed (events %s)',
      async (_events, isTotalReported) => {
        const { metadata } = world;
        if (isTotalReported) await world.outcome(world.refunded('a', 500, 1999, { metadata }));
        await world.outcome(event('refund.created', refund('a', '1', 500, { metadata })));
        expect(await remove()).toMatchObject({ status: 409, body: { code: 'program_has_balance' } });
        await world.outcome(event('refund.failed', refund('a', '1', 500, { metadata, status: 'failed' })));
        world.clock.now += 25 * HOUR;
        await world.affkit.jobs.runOnce();
        expect(await world.listNotifications('refund_parked')).toEqual([]);
        expect(await remove(await signInOwner(world))).toMatchObject({ status: 200 });
      },
    );

    test('prevents the deletion of the program if only one of two refunds of a charge failed', async () => {
      const { metadata } = world;
      await world.outcomes(
        event('refund.created', refund('a', '1', 500, { metadata })),
        event('refund.created', refund('a', '2', 300, { metadata })),
        event('refund.failed', refund('a', '1', 500, { metadata, status: 'failed' })),
      );
      expect(await remove()).toMatchObject({ status: 409, body: { code: 'program_has_balance' } });
    });

    test('does not prevent the deletion of a program if its metadata names no program', async () => {
      await world.outcome(world.refunded('a', 500));
      expect(await remove()).toMatchObject({ status: 200 });
    });

    test('does not find a sale of another workspace', async () => {
      await world.outcome(world.completed('a'));
      const otherWorkspace = await world.call(
        'POST',
        '/api/advertiser/workspaces',
        { name: 'Other' },
        world.session,
      );
      const { id } = otherWorkspace.body['data'] as { id: number };
      const connection = await connect(world, world.session, id, 'whsec_other');
      const reply = await world.send(world.refunded('a', 1999), connection);
      expect(reply.body).toMatchObject({ outcome: 'parked' });
      const samePayment = event('invoice_payment.paid', invoicePayment('a'));
      expect((await world.send(samePayment, connection)).body).toMatchObject({ outcome: 'tied' });
      expect(await world.commissions()).toMatchObject([{ deducted_cents: 0 }]);
      expect(await world.listReferences(1)).toEqual(['cs_a', 'pi_a']);
    });

    test.each(['acacia', 'current'] as const)(
      'leads to the same commissions and balances for any order of events (%s)',
      async (version) => {
        const history = (name: string) => [
          event('checkout.session.completed', subscriptionSession(name, world.metadata)),
          event('invoice.paid', invoice(version, name, name, world.metadata)),
          ...(version === 'current' ? [event('invoice_payment.paid', invoicePayment(name))] : []),
          event('charge.refunded', charge(version, name, 500)),
        ];
        const orders = permutations([...history('').keys()]);
        for (const [index, order] of orders.entries()) {
          const events = history(`p${index}`);
          for (const place of order) await world.send(events[place]);
        }
        const at = orders.map((_order, index) => {
          const events = history(`q${index}`);
          return Promise.all((orders[index] ?? []).map((place) => world.send(events[place])));
        });
        await Promise.all(at);
        const ids = [...orders.keys()].flatMap((index) => [`p${index}`, `q${index}`]).sort();
        const booked = await world.commissions();
        expect(booked.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
          ids.map((name) => ({ id: `in_${name}`, status: 'refunded', deducted_cents: 100 })),
        );
        expect((await world.balances()).program).toEqual({ USD: 300 * ids.length });
        for (const sale of await world.sales()) {
          const name = String(sale['processor_event_id']).slice('in_'.length);
          expect(await world.listReferences(sale['id'])).toEqual(
            ['ch', 'cs', 'in', 'pi', 'sub'].map((prefix) => `${prefix}_${name}`),
          );
        }
        expect(await world.engine.read.selectFrom('notifications').selectAll().execute()).toEqual([]);
      },
    );
  });
}
