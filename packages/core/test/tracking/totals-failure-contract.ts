import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/domain/calendar.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';

interface LogLine {
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

export function totalsFailureContract(kind: string, open: OpenEngine): void {
  describe(`failing metrics on ${kind}`, () => {
    let world: SaleWorld;
    let errors: LogLine[];
    beforeEach(async () => {
      errors = [];
      const ignore = () => {};
      const error = (fields: Record<string, unknown>, message: string) => errors.push({ fields, message });
      world = await openSaleWorld(open, { logger: { info: ignore, warn: ignore, error } });
    });
    // The audit compares the daily totals with their events.
    afterEach(() => auditAndClose(world));

    const repair = async () => {
      world.clock.now += HOUR_MS;
      await world.affkit.jobs.runOnce();
    };
    const counters = async () => {
      const rows = await world.engine.read
        .selectFrom('counters')
        .select(['subject', 'measure', 'value'])
        .execute();
      const sums: Record<string, number> = {};
      for (const { subject, measure, value } of rows) {
        const name = `${subject} ${measure}`;
        sums[name] = (sums[name] ?? 0) + value;
      }
      return sums;
    };
    const pendingRepairs = async () =>
      (await world.engine.read.selectFrom('outbox').select('kind').execute()).filter(
        (row) => row.kind === 'repair_totals',
      ).length;

    test.each(['daily_totals', 'counters'] as const)(
      'stores sales, leads and clicks while %s cannot be written, and repairs the totals later',
      async (table) => {
        await breakWrites(world.engine, table);
        const sold = await world.sell();
        expect(sold).toMatchObject({ status: 200, body: { commission_id: expect.any(Number) } });
        const batch = await Promise.all(
          ['a', 'b', 'c'].map((transaction_id) => world.sell({ transaction_id })),
        );
        expect(batch.map(({ status }) => status)).toEqual([200, 200, 200]);
        const clickId = await world.click('ben');
        const lead = await world.track('lead', { click_id: clickId, customer_key: 'u1' });
        expect(lead.status).toBe(200);
        const again = await Promise.all(
          [1, 2].map(() => world.click('anna', { existing_click_id: clickId })),
        );
        expect(again).toEqual([clickId, clickId]);
        expect(await world.balances()).toMatchObject({ program: { USD: 1600 } });
        expect(await pendingRepairs()).toBe(1);
        await expect(world.affkit.jobs.runOnce()).resolves.toBeUndefined();
        expect(await pendingRepairs()).toBe(1);
        await restoreWrites(world.engine, table);
        await repair();
        expect(await pendingRepairs()).toBe(0);
        expect(await counters()).toEqual({
          'link clicks': 4,
          'partner clicks': 4,
          'partner leads': 1,
          'partner conversions': 4,
        });
      },
    );

    test('logs a failed write of the totals with the id of the request', async () => {
      await breakWrites(world.engine, 'daily_totals');
      const { headers } = await world.sell();
      await restoreWrites(world.engine, 'daily_totals');
      await repair();
      expect(errors).toMatchObject([
        {
          fields: { request_id: headers['x-request-id'], program_ids: [world.program.id] },
          message: expect.stringContaining('counters and daily totals'),
        },
      ]);
    });

    test('rejects only the repeated sale of a batch when daily_totals cannot be written', async () => {
      await breakWrites(world.engine, 'daily_totals');
      const replies = await Promise.all([world.sell(), world.sell(), world.sell({ transaction_id: 't2' })]);
      expect(replies.map(({ status }) => status)).toEqual([200, 409, 200]);
      await restoreWrites(world.engine, 'daily_totals');
      await repair();
    });

    test('repairs the totals of the day on which the sale occurred, and repairs them only once', async () => {
      await breakWrites(world.engine, 'daily_totals');
      const occurred_at = new Date(world.clock.now - 30 * HOUR_MS).toISOString();
      await world.sell({ occurred_at });
      await world.sell({ transaction_id: 't2' });
      await restoreWrites(world.engine, 'daily_totals');
      world.clock.now += HOUR_MS;
      await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
      await world.affkit.jobs.runOnce();
      expect(await counters()).toMatchObject({ 'partner conversions': 2 });
    });

    test('a missing commission is created while daily_totals cannot be written', async () => {
      const setPolicies = (deleted_at: number | null) =>
        world.engine.write(1, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
      await setPolicies(1);
      expect((await world.sell()).status).toBe(500);
      await setPolicies(null);
      await breakWrites(world.engine, 'daily_totals');
      expect(await world.track('refund', { transaction_id: 't1' })).toMatchObject({
        status: 200,
        body: { status: 'reversed', deductionAmount: 4 },
      });
      await restoreWrites(world.engine, 'daily_totals');
      await repair();
    });

    test('a refund is applied when its notifications cannot be stored', async () => {
      await world.sell();
      await breakWrites(world.engine, 'outbox');
      const reply = await world.track('refund', { transaction_id: 't1' });
      await restoreWrites(world.engine, 'outbox');
      expect(reply).toMatchObject({ status: 200, body: { status: 'reversed' } });
      expect(await world.balances()).toMatchObject({ program: { USD: 0 } });
      expect(errors).toMatchObject([{ fields: { request_id: reply.headers['x-request-id'] } }]);
    });

    test.each(['ledger_entries', 'balances'] as const)(
      'a refund fails and stores nothing while %s cannot be written',
      async (table) => {
        await world.sell();
        await breakWrites(world.engine, table);
        const refused = await world.track('refund', { transaction_id: 't1' });
        await restoreWrites(world.engine, table);
        expect(refused).toMatchObject({ status: 500, body: { error: 'Refund tracking failed' } });
        expect(await world.commissions()).toMatchObject([{ status: 'approved', deducted_cents: 0 }]);
        expect(await world.engine.read.selectFrom('refunds').select('id').execute()).toEqual([]);
        expect((await world.track('refund', { transaction_id: 't1' })).body).toMatchObject({
          status: 'reversed',
        });
      },
    );
  });
}

type Table = 'daily_totals' | 'counters' | 'outbox' | 'ledger_entries' | 'balances';

/** Makes every insert and every update of the table fail. */
async function breakWrites(engine: Engine, table: Table): Promise<void> {
  const triggers = ['INSERT', 'UPDATE'].map(
    (change) =>
      `CREATE TRIGGER broken_${change} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, 'the table is broken'); END`,
  );
  const constraint = `ALTER TABLE ${table} ADD CONSTRAINT broken CHECK (false) NOT VALID`;
  await changeTable(engine, engine.dialect === 'sqlite' ? triggers : [constraint]);
}

async function restoreWrites(engine: Engine, table: Table): Promise<void> {
  const triggers = ['INSERT', 'UPDATE'].map((change) => `DROP TRIGGER broken_${change}`);
  const constraint = `ALTER TABLE ${table} DROP CONSTRAINT broken`;
  await changeTable(engine, engine.dialect === 'sqlite' ? triggers : [constraint]);
}

async function changeTable(engine: Engine, statements: readonly string[]): Promise<void> {
  await engine.write(0, async ({ db }) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  });
}
