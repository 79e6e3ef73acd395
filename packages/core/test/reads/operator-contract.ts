import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRejection } from '../../src/rejection.ts';
import { findProgramsOfPage, findWebhookConnections } from '../../src/reporting/doctor.ts';
import { readServiceStatus } from '../../src/reporting/service-status.ts';
import { explainId } from '../../src/reporting/trace/explain-id.ts';
import { measureCommits, readDatabaseHealth } from '../../src/storage/database/health.ts';
import { runOperatorChain } from '../../src/tracking/operator-chain.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { TraceClient } from '../support/trace-client.ts';
import { addProgram, makeWorld, START, signInOwner, type World } from '../support/world.ts';

/** Tests the functions that `affkit doctor` and `affkit why` call. */
export function operatorContract(kind: string, open: OpenEngine): void {
  describe(`the state of the database on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => world.affkit.close());

    test('contains version, clock, migrations and durability', async () => {
      const { engine } = world;
      const health = await readDatabaseHealth({ engine });
      expect(health).toMatchObject({ dialect: engine.dialect, migrations: { pending: [], newer: [] } });
      expect(health.version).toMatch(/^\d+\.\d+/);
      expect(health.migrations.applied).toContain('0001-tracking');
      // The database runs on this machine, so both times come from the same clock. One of these times is rounded
      // to milliseconds.
      expect(Math.abs(health.clockOffsetMs)).toBeLessThanOrEqual(health.clockErrorMs + 2);
      expect(Object.keys(health.durability)).toEqual(
        engine.dialect === 'sqlite' ? ['journal_mode'] : ['fsync', 'full_page_writes'],
      );
    });

    test('names pending migrations, and those of a newer version', async () => {
      const { engine } = world;
      const rename = (from: string, to: string) =>
        engine.changeSchema(async (db) => {
          await db
            .withTables<{ affkit_migrations: { name: string } }>()
            .updateTable('affkit_migrations')
            .set({ name: to })
            .where('name', '=', from)
            .execute();
        });
      await rename('0002-commit-markers', '9999-future');
      const { migrations } = await readDatabaseHealth({ engine });
      await rename('9999-future', '0002-commit-markers');
      expect(migrations).toMatchObject({ pending: ['0002-commit-markers'], newer: ['9999-future'] });
    });

    test('measures commits, and changes no data', async () => {
      const { engine } = world;
      const settings = () => engine.read.selectFrom('service_settings').selectAll().execute();
      const before = await settings();
      const times = await measureCommits({ engine }, 3);
      expect(times).toHaveLength(3);
      expect(times.every((time) => time > 0)).toBe(true);
      expect(await settings()).toEqual(before);
    });

    test('finds the programs that accept events of a page', async () => {
      const other = await addProgram(world, world.workspaceId, 'cora');
      const find = async (origin: string) =>
        (await findProgramsOfPage(world.affkit.runtime, origin)).map(({ id }) => id);
      expect(await find('https://shop.example')).toEqual([world.program.id]);
      expect(await find('https://other.example')).toEqual([other.program.id]);
      expect(await find('https://elsewhere.example')).toEqual([]);
    });

    test('lists connections of payment processors, without disconnected ones', async () => {
      expect(await findWebhookConnections(world.affkit.runtime)).toEqual([]);
      const owner = await signInOwner(world);
      const body = {
        workspace_id: world.workspaceId,
        processor: 'stripe',
        account_id: 'acct_1',
        webhook_secret: 'whsec_test_secret_of_a_connection',
        mode: 'test',
      };
      const created = await world.call('POST', '/api/advertiser/processor-connections', body, owner);
      expect(created).toMatchObject({ status: 201 });
      const { id } = created.body['data'] as { id: number };
      expect(await findWebhookConnections(world.affkit.runtime)).toEqual([
        { id, workspaceId: world.workspaceId, lastReceivedAt: null },
      ]);
      await world.call('DELETE', `/api/advertiser/processor-connections/${id}`, undefined, owner);
      expect(await findWebhookConnections(world.affkit.runtime)).toEqual([]);
    });

    test('shows the work of the jobs, dead letters, and the last events of each program', async () => {
      const { runtime } = world.affkit;
      const idle = await readServiceStatus(runtime);
      expect(idle).toMatchObject({
        database: { migrations: { pending: [] } },
        data: {
          backlog: {
            outbox: { waiting: 0, failing: 0, oldestAt: null, lastError: null },
            queuedEmails: 0,
            unsealedLedgerEntries: 0,
            payments: 0,
            payoutTransfers: 0,
          },
          deadLetters: { emails: 0, payoutTransfers: 0 },
          programs: [{ id: world.program.id, lastAt: { click: null, lead: null, sale: null } }],
        },
      });
      expect(idle.data?.tables.map(({ table }) => table)).toEqual(
        expect.arrayContaining(['sales', 'click_events', 'ledger_entries']),
      );
      expect(idle.data?.tables.every(({ bytes }) => bytes >= 0)).toBe(true);

      const clickId = await world.click('anna');
      await world.track('sale', {
        transaction_id: 'order-1',
        amount_cents: 1000,
        click_id: clickId,
        customer_key: 'u',
      });
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db
          .insertInto('outbox')
          .values({
            program_id: world.program.id,
            kind: 'notify_refund',
            subject_id: 1,
            payload: '{}',
            attempts: 2,
            run_at: START,
            last_error: 'no such sale',
            created_at: START - 5,
          })
          .execute(),
      );
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db
          .insertInto('emails')
          .values({
            message_key: 'k',
            kind: 'password_reset',
            recipient: 'owner@shop.example',
            status: 'failed',
            attempts: 1,
            run_at: START,
            expires_at: START,
            created_at: START,
          })
          .execute(),
      );
      const busy = await readServiceStatus(runtime);
      expect(busy.data).toMatchObject({
        backlog: { outbox: { failing: 1, oldestAt: START - 5, lastError: 'no such sale' } },
        deadLetters: { emails: 1 },
        programs: [
          {
            lastAt: { click: START, sale: START },
            recent: { click: 1, sale: 1 },
            approvedPartners: 2,
          },
        ],
      });
      expect(busy.data?.backlog.unsealedLedgerEntries).toBeGreaterThan(0);
    });

    test('runs the chain from click to refund in test mode, and rate limits the 11th concurrent run', async () => {
      const { runtime } = world.affkit;
      const runs = await Promise.all(
        Array.from({ length: 11 }, () => runOperatorChain(runtime, world.program.id)),
      );
      const complete = runs.filter((steps) => !isRejection(steps) && steps.every(({ ok }) => ok));
      expect(complete).toHaveLength(10);
      expect(runs.filter(isRejection).map(({ code }) => code)).toEqual(['rate_limited']);
      const refunds = await world.engine.read.selectFrom('test_refunds').select('sale_id').execute();
      expect(new Set(refunds.map(({ sale_id }) => sale_id)).size).toBe(10);
      expect(await runOperatorChain(runtime, 999)).toMatchObject({ code: 'not_found' });
    });

    test('explains an id of each kind with the steps of the trace, and lists the rejected calls with this id', async () => {
      const trace = await TraceClient.of(world);
      const clickId = await world.click('anna');
      await world.track('lead', { click_id: clickId, customer_key: 'user-1' });
      await trace.sell('order-1', { customer_key: 'user-1' });
      const commission = await world.engine.read
        .selectFrom('commissions')
        .select('id')
        .executeTakeFirstOrThrow();
      const { runtime } = world.affkit;
      const steps = await trace.steps('transaction_id=order-1');
      for (const [id, kind] of [
        ['order-1', 'transaction_id'],
        [clickId, 'click_id'],
        ['user-1', 'customer_key'],
        [`#${commission.id}`, 'commission_id'],
        [String(commission.id), 'commission_id'],
      ] as const) {
        const found = await explainId(runtime, id, null);
        expect(found).toMatchObject([
          { program: { id: world.program.id }, kind, trace: { steps }, rejectedCalls: [] },
        ]);
      }

      await world.track('sale', { transaction_id: 'order-2', amount_cents: -5, customer_key: 'user-1' });
      await trace.manage('GET', '/refusals');
      expect(await explainId(runtime, 'order-2', world.program.id)).toMatchObject([
        { kind: null, trace: null, rejectedCalls: [{ route: 'sale', code: 'amount_cents_required' }] },
      ]);
      expect(await explainId(runtime, 'order-3', null)).toEqual([]);
      expect(await explainId(runtime, 'order-1', 999)).toBe(null);
      const other = await addProgram(world, world.workspaceId, 'cora');
      expect(await explainId(runtime, 'order-1', other.program.id)).toEqual([]);
    });
  });
}
