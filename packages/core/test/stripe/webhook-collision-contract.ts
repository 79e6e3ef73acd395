import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AffkitOptions } from '../../src/options.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { auditAndClose, auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { runConcurrently } from '../support/management-world.ts';
import { permutations } from '../support/permutations.ts';
import { charge, dispute, event, invoice, invoicePayment, paymentSession } from '../support/stripe-events.ts';
import { sampleCases } from '../support/test-depth.ts';
import { summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { connect, makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { addProgram } from '../support/world.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';

export function webhookCollisionContract(
  kind: string,
  open: OpenEngine,
  options: Partial<AffkitOptions> = {},
): void {
  describe(`a payment whose id is already taken on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open(), {}, options);
    });
    afterEach(() => auditAndClose(world));

    const completed = (name: string, metadata: object = world.metadata) =>
      event('checkout.session.completed', paymentSession(name, { ...metadata }));
    const addForeignProgram = async () => {
      const { body } = await world.call(
        'POST',
        '/api/advertiser/workspaces',
        { name: 'Other' },
        world.session,
      );
      return await addProgram(world, (body['data'] as { id: number }).id, 'carl');
    };
    /** Records a sale of another program. */
    const recordSaleOf = async (other: Awaited<ReturnType<typeof addProgram>>, body: object) => {
      const sale = { amount_cents: 1, click_id: await world.click('carl'), ...body };
      const { authorization } = other;
      expect(await world.call('POST', '/api/v1/track/sale', sale, { authorization })).toMatchObject({
        status: 200,
      });
    };

    test('gets an id with a suffix if another workspace has its id, but is found by its original ids', async () => {
      const foreign = await addForeignProgram();
      await recordSaleOf(foreign, { transaction_id: 'pi_a' });
      const outcomes = await runConcurrently(5, () => world.outcome(completed('a')));
      expect(outcomes.sort()).toEqual([...Array(4).fill('duplicate'), 'sale_recorded']);
      const [, sale, ...more] = await world.sales();
      expect(more).toEqual([]);
      expect(sale).toMatchObject({ processor_event_id: 'pi_a@1', amount_cents: 1999 });
      expect(await world.listReferences(sale?.['id'])).toEqual(['cs_a', 'pi_a', 'pi_a@1']);
      const tracer = await TraceClient.of(world);
      expect(summarizeSteps(await tracer.steps('transaction_id=pi_a'))).toContain(
        'note transaction_id_taken_elsewhere',
      );
      const again = { transaction_id: 'pi_a', amount_cents: 1999, customer_key: 'user-1' };
      expect(await world.track('sale', again)).toMatchObject({
        status: 409,
        body: { code: 'duplicate_transaction' },
      });
      expect(await world.outcome(event('charge.refunded', charge('current', 'a', 1999)))).toBe(
        'refunded: reversed',
      );
      expect(await world.commissions()).toMatchObject([
        { id: 'pi_a', status: 'approved' },
        { id: 'pi_a@1', status: 'reversed' },
      ]);
    });

    test('is recorded for its own workspace, even if another workspace has connected the same Stripe account', async () => {
      const foreign = await addForeignProgram();
      const { workspaceId, id } = foreign.program;
      // Any workspace can enter any account id, but has only its own webhook secret.
      const copy = await connect(world, world.session, workspaceId, 'whsec_copy');
      const own = completed('a');
      expect(await world.send(own, { path: copy.path })).toMatchObject({ status: 400 });
      const named = { program_id: String(id), service_click_id: await world.click('carl') };
      const forged = [
        completed('a', named),
        event('charge.refunded', charge('current', 'a', 1999)),
        event('invoice_payment.paid', invoicePayment('a')),
        completed('b', world.metadata),
      ];
      const outcomes: unknown[] = [];
      for (const one of forged) outcomes.push((await world.send(one, copy)).body['outcome']);
      expect(outcomes).toEqual(['sale_recorded', 'refunded', 'tied', 'ignored']);
      expect(await world.outcome(own)).toBe('sale_recorded');
      expect(await world.outcome(completed('b'))).toBe('sale_recorded');
      expect(await world.commissions()).toMatchObject([
        { id: 'pi_a', status: 'reversed' },
        { id: 'pi_a@1', status: 'approved' },
        { id: 'pi_b', status: 'approved' },
      ]);
    });

    test('is recorded when the other workspace has also taken the suffixed id', async () => {
      const foreign = await addForeignProgram();
      for (const transaction_id of ['pi_a', 'pi_a@1']) await recordSaleOf(foreign, { transaction_id });
      expect(await world.outcome(completed('a'))).toBe('sale_recorded');
      expect((await world.sales()).at(-1)?.['processor_event_id']).toMatch(/^pi_a@1\..{36}$/);
    });

    describe.each(['acacia', 'current'] as const)(
      'when the API and webhooks report the same payment (%s)',
      (version) => {
        const STEPS = {
          api: () => world.sell({ transaction_id: 'pi_a' }),
          invoice: () => world.send(event('invoice.paid', invoice(version, 'a', 'a', world.metadata))),
          connectIds: () => world.send(event('invoice_payment.paid', invoicePayment('a'))),
        };
        const allOrders = permutations(['api', 'invoice', 'connectIds', 'refund'] as const);
        // To save time, short runs test all orders of the steps only on SQLite with the default `transactionIds`.
        const isSampled = kind.startsWith('Postgres') || options.transactionIds === 'workspace';
        const orders = isSampled ? sampleCases(allOrders, 5) : allOrders;

        test.each([
          [500, 'refunded', 100],
          [1999, 'reversed', 400],
        ])('ends as one sale in any order of events, refunded by %d', async (cents, status, deducted) => {
          for (const order of orders) {
            const freshWorld = await makeWebhookWorld(await open(), {}, options);
            await world.affkit.close();
            world = freshWorld;
            const refund = () => world.send(event('charge.refunded', charge(version, 'a', cents)));
            for (const step of order) {
              world.clock.now += 1;
              await { ...STEPS, refund }[step]();
            }
            const remaining = (await world.commissions()).filter((one) => one.status !== 'rejected');
            expect({ order, remaining }).toMatchObject({
              order,
              remaining: [{ status, deducted_cents: deducted }],
            });
            expect((await world.balances()).program).toEqual({ USD: 400 - deducted });
            expect(await world.listNotifications('sale_recorded_twice')).toHaveLength(
              (await world.sales()).length - 1,
            );
            expect(await auditLedger(world.engine)).toEqual([]);
          }
        });
      },
    );

    describe('when the sale with this id is later found to be the same payment', () => {
      const paid = () => world.outcome(event('invoice.paid', invoice('current', 'a', 'a', world.metadata)));
      const connectIds = () => world.outcome(event('invoice_payment.paid', invoicePayment('a')));
      const notices = () => world.listNotifications('sale_recorded_twice');
      const remove = (programId: number) =>
        world.call('DELETE', `${PROGRAMS}/${programId}`, undefined, world.session);

      test('rejects the later commission, notifies advertiser and partner, and moves the ids to the first sale', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await paid();
        const replies = await runConcurrently(5, connectIds);
        expect(new Set(replies)).toEqual(new Set(['tied']));
        expect(await world.commissions()).toMatchObject([
          { id: 'pi_a', status: 'approved' },
          { id: 'in_a', status: 'rejected' },
        ]);
        expect((await world.balances()).program).toEqual({ USD: 400 });
        expect(await notices()).toEqual([
          {
            program_id: world.program.id,
            partner_id: null,
            payload: {
              transactionId: 'pi_a',
              duplicateTransactionId: 'in_a',
              duplicateCommissionId: 2,
              done: 'rejected',
            },
          },
        ]);
        await world.affkit.jobs.runOnce();
        expect(await world.listNotifications('commission_rejected')).toHaveLength(1);
        const tracer = await TraceClient.of(world);
        const steps = await tracer.steps('customer_key=user-1');
        const notes = steps.filter(({ step }) => step === 'note').map(({ reason }) => reason);
        expect(notes).toEqual(['sale_recorded_twice', 'duplicate_sale_rejected']);
        const rejections = steps.filter(({ step }) => step === 'rejection').map(({ reason }) => reason);
        expect(rejections).toEqual(['rejected_as_duplicate']);
        expect(await world.listReferences(1)).toEqual(['in_a', 'pi_a', 'sub_a']);
        expect(await world.track('refund', { transaction_id: 'in_a' })).toMatchObject({ status: 200 });
        expect(await world.commissions()).toMatchObject([{ status: 'reversed' }, { status: 'rejected' }]);
      });

      const payOut = async (end?: 'mark-paid', programId = world.program.id) => {
        const path = `${PROGRAMS}/${programId}/payouts`;
        const { status, body } = await world.call('POST', path, {}, world.session);
        expect(status).toBe(201);
        for (const { id } of body['data'] as { id: number }[]) {
          if (end) await world.call('POST', `${path}/${id}/${end}`, {}, world.session);
        }
      };

      test.each([
        ['are in a pending payout', undefined, 'approved', 400],
        ['were paid', 'mark-paid', 'paid', -400],
      ] as const)('reverses the later one when both commissions %s', async (_when, end, status, balance) => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await paid();
        await payOut(end);
        world.clock.now += 1;
        expect([await connectIds(), await connectIds()]).toEqual(['tied', 'tied']);
        expect(await world.commissions()).toMatchObject([
          { id: 'pi_a', status, deducted_cents: 0 },
          { id: 'in_a', status: 'reversed', deducted_cents: 400 },
        ]);
        expect((await world.balances()).program).toEqual({ USD: balance });
        expect(await notices()).toMatchObject([{ payload: { done: 'reversed' } }]);
        await world.affkit.jobs.runOnce();
        expect(await world.listNotifications('commission_reversed')).toHaveLength(1);
        expect(await world.listNotifications('paid_commission_reversed')).toHaveLength(end ? 1 : 0);
        const steps = summarizeSteps(await (await TraceClient.of(world)).steps('customer_key=user-1'));
        expect(steps.filter((step) => /^(note|refund) /.test(step))).toEqual([
          'note sale_recorded_twice',
          'note duplicate_sale_reversed',
          'refund reversed_as_duplicate',
        ]);
        expect(await world.track('refund', { transaction_id: 'in_a' })).toMatchObject({
          body: { status: 'reversed', commission_id: 1 },
        });
        expect((await world.balances()).program).toEqual({ USD: balance - 400 });
        const ledger = await verifyLedger(world.affkit.runtime, world.program.id);
        expect(ledger).toMatchObject({ fault: null });
      });

      test('rejects the later commission if one API request contains the payment ids of both sales', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await world.sell({ transaction_id: 'in_a' });
        const both = { transaction_id: 'order-1', processor_refs: ['in_a', 'pi_a'] };
        expect(await world.sell(both)).toMatchObject({ status: 409, body: { sale_id: 1, commission_id: 1 } });
        expect(await world.commissions()).toMatchObject([
          { id: 'pi_a', status: 'approved' },
          { id: 'in_a', status: 'rejected' },
        ]);
      });

      test('merges no sales of different programs if one API request contains the payment ids of both sales', async () => {
        const sibling = await addProgram(world, world.workspaceId, 'carl');
        await world.sell({ transaction_id: 'pi_a' });
        await recordSaleOf(sibling, { transaction_id: 'in_a' });
        const both = { transaction_id: 'order-1', processor_refs: ['in_a', 'pi_a'] };
        expect(await world.sell(both)).toMatchObject({ status: 409 });
        expect(await world.commissions()).toMatchObject([{ status: 'approved' }, { status: 'approved' }]);
      });

      describe('when the sale that is kept belongs to a deleted program', () => {
        test.each([
          [
            'refund',
            'refunded: refunded',
            () => world.refunded('a', 500, 1999, { metadata: world.metadata }),
          ],
          [
            'dispute',
            'dispute_lost: refunded',
            () => event('charge.dispute.closed', { ...dispute('a', 'lost', 500) }),
          ],
        ] as const)(
          'a %s does not prevent the deletion of the duplicate’s program',
          async (_what, applied, report) => {
            const sibling = await addProgram(world, world.workspaceId, 'carl');
            await recordSaleOf(sibling, { transaction_id: 'cs_a', amount_cents: 1999 });
            await payOut('mark-paid', sibling.program.id);
            expect(await remove(sibling.program.id)).toMatchObject({ status: 200 });
            world.clock.now += 1;
            await world.sell({ transaction_id: 'pi_a' });
            expect(await world.outcome(report())).toBe(applied);
            expect(await world.outcome(completed('a', {}))).toBe('duplicate');
            expect(await notices()).toMatchObject([{ payload: { transactionId: 'cs_a', done: 'reversed' } }]);
            expect((await world.balances()).program).toEqual({ USD: 0 });
            expect(await remove(world.program.id)).toMatchObject({ status: 200 });
            expect(await world.outcome(report())).toBe('ignored: program_not_found');
          },
        );
      });

      test('does not merge sales that share only their subscription', async () => {
        await world.sell({ transaction_id: 'pi_r', processor_refs: ['sub_a'] });
        await world.sell({ transaction_id: 'in_a' });
        expect(await paid()).toBe('duplicate');
        expect(await world.commissions()).toMatchObject([{ status: 'approved' }, { status: 'approved' }]);
        expect(await notices()).toEqual([]);
      });
    });

    describe('when two programs have recorded the payment before an event connects their sales', () => {
      let sibling: Awaited<ReturnType<typeof addProgram>>;

      const callSibling = async (endpoint: string, body: object) => {
        const sale = { transaction_id: 'pi_a', ...body };
        const { authorization } = sibling;
        return (await world.call('POST', `/api/v1/track/${endpoint}`, sale, { authorization })).body;
      };
      const refundAtSibling = (body: object) => callSibling('refund', body);
      /** Records both sales and merges them. The world's program keeps its commission of 4.00 USD. */
      const mergeTwo = async (sale: object = {}) => {
        sibling = await addProgram(world, world.workspaceId, 'carl');
        await world.outcome(event('invoice.paid', invoice('current', 'a', 'a', world.metadata)));
        world.clock.now += 1;
        const click_id = await world.click('carl', { affiliate_url: 'https://other.example/?aff=carl' });
        await callSibling('sale', { amount_cents: 1999, click_id, ...sale });
        expect(await world.outcome(event('invoice_payment.paid', invoicePayment('a')))).toBe('tied');
      };

      test('deducts a refund with an id once, whichever program reports it', async () => {
        await mergeTwo();
        const refund = { refund_id: 'r-1', refund_amount_cents: 1000 };
        expect(await refundAtSibling(refund)).toMatchObject({ success: true, status: 'skipped' });
        await refundAtSibling(refund);
        expect((await world.balances()).program).toEqual({ USD: 200 });
        await world.track('refund', { transaction_id: 'in_a', ...refund });
        expect((await world.balances()).program).toEqual({ USD: 200 });
        await refundAtSibling({ refund_id: 'r-2', refund_amount_cents: 1500 });
        expect((await world.balances()).program).toEqual({ USD: 0 });
      });

      test('deducts a refund without an id only if the payment was not refunded before', async () => {
        await mergeTwo();
        await runConcurrently(4, () => refundAtSibling({ refund_amount_cents: 1000 }));
        expect((await world.balances()).program).toEqual({ USD: 200 });
        await refundAtSibling({});
        await world.track('refund', { transaction_id: 'in_a' });
        expect((await world.balances()).program).toEqual({ USD: 200 });
      });

      test('deducts the same share if the other program recorded another currency', async () => {
        await mergeTwo({ amount_cents: 3000, currency: 'EUR' });
        await refundAtSibling({ refund_id: 'r-1', refund_amount_cents: 1500 });
        expect((await world.balances()).program).toEqual({ USD: 200 });
      });
    });

    test('is ignored if another program of the workspace recorded it; its own program is notified once', async () => {
      const sibling = await addProgram(world, world.workspaceId, 'carl');
      await recordSaleOf(sibling, { transaction_id: 'order-1', processor_refs: ['pi_a'] });
      for (const one of [completed('a'), completed('a')]) {
        expect(await world.outcome(one)).toBe('ignored: recorded_by_other_program');
      }
      expect(await world.listNotifications('recorded_by_other_program')).toEqual([
        {
          program_id: world.program.id,
          partner_id: null,
          payload: {
            transactionId: 'pi_a',
            recordedByProgramId: sibling.program.id,
            recordedSaleId: expect.any(Number),
          },
        },
      ]);
      const tracer = await TraceClient.of(world);
      const named = 'webhook webhook_ignored';
      expect(summarizeSteps(await tracer.steps('customer_key=user-1'))).toContain(named);
      expect(summarizeSteps(await tracer.steps('transaction_id=pi_a'))).toContain(named);
      const own = { program_id: String(sibling.program.id), service_customer_key: 'user-1' };
      expect(await world.outcome(completed('a', own))).toBe('duplicate');
    });
  });
}
