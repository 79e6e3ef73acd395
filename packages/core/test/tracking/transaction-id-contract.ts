import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import type { TransactionIdScope } from '../../src/domain/transaction-id.ts';
import { createWorkspace } from '../../src/management/workspaces.ts';
import { changeTransactionIds } from '../../src/tracking/transaction-ids-setting.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { runConcurrently } from '../support/management-world.ts';
import { SILENT } from '../support/silent-logger.ts';
import { charge, event } from '../support/stripe-events.ts';
import { TraceClient } from '../support/trace-client.ts';
import { connect, makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import {
  addProgram,
  addWorkspaceInSameLane,
  createCaller,
  type Reply,
  SECRET,
  type World,
} from '../support/world.ts';

/** A program that reports sales of its own customer. */
interface Shop {
  readonly programId: number;
  readonly workspaceId: number;
  readonly token: string;
  readonly clickId: string;
}

export function transactionIdContract(kind: string, open: OpenEngine): void {
  describe(`transaction ids on ${kind}`, () => {
    let world: WebhookWorld;
    /** Sends a request to the process that runs with the current setting. */
    let call: World['call'];
    let shop: Shop;
    /** A program of another workspace. Both workspaces share a write lane. */
    let foreign: Shop;
    /** Another program in the workspace of `shop`. */
    let sibling: Shop;

    const openShops = async (transactionIds: TransactionIdScope) => {
      world = await makeWebhookWorld(await open(), {}, { transactionIds });
      call = world.call;
      shop = {
        programId: world.program.id,
        workspaceId: world.workspaceId,
        token: world.token,
        clickId: await world.click('anna'),
      };
      foreign = await addShop(await addWorkspaceInSameLane(world), 'carl');
      sibling = await addShop(world.workspaceId, 'dora');
    };
    const addShop = async (workspaceId: number, code: string): Promise<Shop> => {
      const { program, token } = await addProgram(world, workspaceId, code);
      return { programId: program.id, workspaceId, token, clickId: await world.click(code) };
    };
    /** Changes the setting in the database, and replaces the process with one that has the new setting. */
    const restart = async (transactionIds: TransactionIdScope) => {
      const shared = await changeTransactionIds({ engine: world.engine }, transactionIds);
      const affkit = start(transactionIds);
      await affkit.migrate();
      call = createCaller(affkit);
      return shared;
    };
    const start = (transactionIds: TransactionIdScope) => {
      const now = () => world.clock.now;
      return createAffkit({ engine: world.engine, secret: SECRET, now, logger: SILENT, transactionIds });
    };
    const track = (kind: string, by: Shop, body: object): Promise<Reply> =>
      call('POST', `/api/v1/track/${kind}`, body, { authorization: `Bearer ${by.token}` });
    const sell = (by: Shop, transaction_id: string, fields: object = {}) =>
      track('sale', by, { transaction_id, amount_cents: 1000, click_id: by.clickId, ...fields });
    const codeOf = ({ status, body }: Reply) => (status === 200 ? 'recorded' : body['code']);
    const sellAll = async (id: string, ...shops: Shop[]) => {
      const codes = [];
      for (const by of shops) codes.push(codeOf(await sell(by, id)));
      return codes;
    };
    const listSales = () =>
      world.engine.read
        .selectFrom('sales')
        .innerJoin('commissions', (join) =>
          join
            .onRef('commissions.program_id', '=', 'sales.program_id')
            .onRef('commissions.sale_id', '=', 'sales.id'),
        )
        .select(['sales.program_id', 'processor_event_id as id', 'commissions.status'])
        .orderBy('sales.id')
        .execute();

    afterEach(() => auditAndClose(world));

    describe('that are unique in the service', () => {
      beforeEach(() => openShops('service'));

      test('cannot be used by any other program; the 409 says what to do and does not name the first program', async () => {
        expect(await sellAll('order-1', foreign, shop, sibling)).toEqual([
          'recorded',
          'transaction_id_taken',
          'transaction_id_taken',
        ]);
        const error = 'Duplicate transaction_id. This sale has already been recorded.';
        expect((await sell(shop, 'order-1')).body).toEqual({
          error,
          message: error,
          statusCode: 409,
          code: 'transaction_id_taken',
          hint: 'Another program uses this transaction_id, so your sale was not recorded. Send it again with a different id, such as the name of your shop and the order id.',
          request_id: expect.any(String),
        });
      });
    });

    describe('that are unique in their workspace', () => {
      beforeEach(() => openShops('workspace'));

      test('can be used even if another workspace has recorded a sale with the same id', async () => {
        expect(await sellAll('order-1', foreign, shop)).toEqual(['recorded', 'recorded']);
        expect(await listSales()).toMatchObject([
          { program_id: foreign.programId, id: 'order-1', status: 'approved' },
          { program_id: shop.programId, id: 'order-1', status: 'approved' },
        ]);
      });

      test('cannot be used by another program of the workspace, and are duplicates in the same program', async () => {
        expect(await sellAll('order-1', foreign, shop, shop, sibling, foreign)).toEqual([
          'recorded',
          'recorded',
          'duplicate_transaction',
          'transaction_id_taken',
          'duplicate_transaction',
        ]);
        const [first, ...others] = await world.engine.read
          .selectFrom('sales')
          .select('id')
          .orderBy('id')
          .execute();
        expect((await sell(foreign, 'order-1')).body).toMatchObject({ sale_id: first?.id, identical: true });
        expect((await sell(shop, 'order-1')).body).toMatchObject({
          sale_id: others[0]?.id,
          identical: true,
        });
      });

      test('are recorded once per workspace when two workspaces report them concurrently', async () => {
        for (const id of ['order-1', 'order-2']) {
          const replies = await runConcurrently(40, (index) => sell(index % 2 ? shop : foreign, id));
          const codes = replies.map((reply, index) => `${index % 2} ${codeOf(reply)}`);
          expect(codes.filter((code) => code.endsWith('recorded')).sort()).toEqual([
            '0 recorded',
            '1 recorded',
          ]);
          expect(codes.filter((code) => code.endsWith('duplicate_transaction'))).toHaveLength(38);
        }
        expect(await listSales()).toHaveLength(4);
      });

      test.each(['pi_1', 'in_1', 'ch_1', 'py_1', 'cs_test_1'])(
        'are still unique in the service if the payment processor assigned them, like %s',
        async (id) => {
          expect(await sellAll(id, foreign, shop)).toEqual(['recorded', 'transaction_id_taken']);
          const replies = await runConcurrently(10, (index) => sell(index % 2 ? shop : foreign, `${id}0`));
          expect(replies.map(codeOf).filter((code) => code === 'recorded')).toHaveLength(1);
        },
      );

      test('find only sales of the same workspace in refunds, in traces, and on the route "exists"', async () => {
        await sellAll('order-1', foreign, shop);
        await sell(foreign, 'order-2');
        const transaction_ids = ['order-1', 'order-2'];
        expect((await track('exists', shop, { transaction_ids })).body).toMatchObject({
          existing: ['order-1'],
          missing: ['order-2'],
        });
        expect((await track('exists', sibling, { transaction_ids })).body).toMatchObject({ existing: [] });
        const tracer = await TraceClient.of(world);
        const path = (id: string) => `transaction_id=${id}`;
        expect((await tracer.ask(path('order-1'))).body).toMatchObject({
          data: { customer: { click_id: shop.clickId } },
        });
        expect(await tracer.ask(path('order-2'))).toMatchObject({ status: 404 });
        expect(await track('refund', sibling, { transaction_id: 'order-1' })).toMatchObject({ status: 404 });
        expect(await track('refund', shop, { transaction_id: 'order-2' })).toMatchObject({ status: 404 });
        expect(await track('refund', shop, { transaction_id: 'order-1' })).toMatchObject({
          body: { status: 'reversed' },
        });
        expect(await listSales()).toMatchObject([
          { program_id: foreign.programId, status: 'approved' },
          { program_id: shop.programId, status: 'reversed' },
          { program_id: foreign.programId, status: 'approved' },
        ]);
      });

      test('link each sale to the webhooks and parked refunds of its own workspace', async () => {
        const session = world.session;
        const elsewhere = await connect(world, session, foreign.workspaceId, 'whsec_other');
        // Both workspaces get a refund of a payment whose sale they do not know yet. Then each records the sale
        // `order-1`, but only `shop` names the payment.
        const refunded = event('charge.refunded', charge('current', 'a', 1000, 1000));
        expect(await world.outcome(refunded)).toBe('parked: payment_unknown');
        expect((await world.send(refunded, elsewhere)).body).toMatchObject({ outcome: 'parked' });
        const refs = { processor_refs: ['pi_a'] };
        expect(codeOf(await sell(foreign, 'order-1'))).toBe('recorded');
        expect(codeOf(await sell(shop, 'order-1', refs))).toBe('recorded');
        expect(await listSales()).toMatchObject([
          { program_id: foreign.programId, status: 'approved' },
          { program_id: shop.programId, status: 'reversed' },
        ]);
        // The webhook of the payment finds the sale of its workspace.
        expect(await world.outcome(world.completed('a'))).toBe('duplicate');
        expect(codeOf(await sell(foreign, 'order-1', refs))).toBe('duplicate_transaction');
        expect(await listSales()).toMatchObject([{ status: 'reversed' }, { status: 'reversed' }]);
      });
    });

    describe('when the setting is changed', () => {
      test('a change from service to workspace keeps all sales, and allows ids of other workspaces', async () => {
        await openShops('service');
        expect(await sellAll('order-1', foreign, shop)).toEqual(['recorded', 'transaction_id_taken']);
        expect(await sellAll('pi_1', foreign)).toEqual(['recorded']);
        expect(await restart('workspace')).toBe(0);
        expect(await sellAll('order-1', foreign, shop, shop)).toEqual([
          'duplicate_transaction',
          'recorded',
          'duplicate_transaction',
        ]);
        expect(await sellAll('pi_1', foreign, shop)).toEqual([
          'duplicate_transaction',
          'transaction_id_taken',
        ]);
        expect(await track('refund', foreign, { transaction_id: 'order-1' })).toMatchObject({
          body: { status: 'reversed' },
        });
      });

      test('a change from workspace to service keeps all sales, and reserves ids for their workspaces', async () => {
        await openShops('workspace');
        expect(await sellAll('order-1', foreign, shop)).toEqual(['recorded', 'recorded']);
        expect(await sellAll('order-2', shop)).toEqual(['recorded']);
        expect(await sellAll('order-3', foreign)).toEqual(['recorded']);
        const { id } = await createWorkspace(world.affkit.runtime, { name: 'Third', ownerId: 1 });
        const third = await addShop(id, 'emil');
        expect(await restart('service')).toBe(1);
        const sellers = [foreign, shop, third];
        const [own, taken] = ['duplicate_transaction', 'transaction_id_taken'];
        expect(await sellAll('order-1', ...sellers)).toEqual([own, own, taken]);
        expect(await sellAll('order-2', ...sellers)).toEqual([taken, own, taken]);
        expect(await sellAll('order-3', ...sellers)).toEqual([own, taken, taken]);
        expect(await sellAll('order-4', shop, foreign)).toEqual(['recorded', taken]);
        for (const by of [shop, foreign]) {
          expect(await track('refund', by, { transaction_id: 'order-1' })).toMatchObject({
            body: { status: 'reversed' },
          });
        }
        expect(await restart('workspace')).toBe(1);
        expect(await sellAll('order-1', ...sellers)).toEqual([own, own, 'recorded']);
      });

      test('a process does not start if only its own setting is changed, and the error says what to do', async () => {
        await openShops('service');
        await expect(start('workspace').migrate()).rejects.toThrow(
          "createAffkit: transactionIds is 'workspace', but the database uses 'service'. Set transactionIds to 'service', or stop every process that uses the database, call changeTransactionIds({ engine }, 'workspace') once, and start again.",
        );
        await start('service').migrate();
        await restart('workspace');
        await expect(start('service').migrate()).rejects.toMatchObject({
          name: 'TransactionIdsMismatch',
          stored: 'workspace',
        });
      });
    });
  });
}
