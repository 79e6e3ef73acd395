import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkTotals, rebuildTotals } from '../../src/reporting/totals.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { addProgram, makeWorld, START, type World } from '../support/world.ts';

const TODAY = Math.floor(START / 86_400_000);

export function totalsContract(kind: string, open: OpenEngine): void {
  describe(`daily totals on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
      const click = await world.click('anna');
      await world.click('ben');
      await world.track('lead', { click_id: click, customer_key: 'u1' });
      await world.track('sale', { transaction_id: 't1', amount_cents: 1999, customer_key: 'u1' });
    });
    afterEach(() => world.affkit.close());
    const check = () => checkTotals(world.affkit.runtime, world.program.id);
    const rebuild = () => rebuildTotals(world.affkit.runtime, world.program.id);
    const totals = () =>
      world.engine.read
        .selectFrom('daily_totals')
        .select((eb) => [
          'program_id',
          'partner_id',
          'day',
          'measure',
          eb.fn.sum<number>('value').as('value'),
        ])
        .groupBy(['program_id', 'partner_id', 'day', 'measure'])
        .orderBy('program_id')
        .orderBy('partner_id')
        .orderBy('day')
        .orderBy('measure')
        .execute();

    test('finds no drift in rows that the service wrote, and a rebuild changes nothing', async () => {
      const before = await totals();
      expect(await check()).toEqual([]);
      expect(await rebuild()).toBe(0);
      expect(await totals()).toEqual(before);
    });

    test('reports and corrects wrong and extra totals', async () => {
      const before = await totals();
      await world.engine.write(world.program.id, async ({ db, slot }) => {
        await db
          .updateTable('daily_totals')
          .set({ value: 7 })
          .where('measure', '=', 'revenue:USD')
          .where('partner_id', '=', 0)
          .execute();
        const stray = { program_id: world.program.id, partner_id: 0, day: TODAY - 9, slot, value: 5 };
        await db
          .insertInto('daily_totals')
          .values({ ...stray, measure: 'clicks' })
          .execute();
      });
      const drift = { partnerId: 0, day: TODAY };
      expect(await check()).toEqual([
        { ...drift, day: TODAY - 9, measure: 'clicks', recorded: 5, counted: 0 },
        { ...drift, measure: 'revenue:USD', recorded: 7, counted: 1999 },
      ]);
      expect(await rebuild()).toBe(2);
      expect(await check()).toEqual([]);
      expect((await totals()).filter(({ value }) => Number(value) !== 0)).toEqual(before);
    });

    test('recreates lost totals of the given program only', async () => {
      const before = await totals();
      const otherProgram = await addProgram(world, world.workspaceId, 'zoe');
      await world.engine.write(world.program.id, ({ db }) => db.deleteFrom('daily_totals').execute());
      expect(await rebuild()).toBe(before.length);
      expect(await totals()).toEqual(before);
      expect(await checkTotals(world.affkit.runtime, otherProgram.program.id)).toMatchObject([
        { measure: 'partners', recorded: 0, counted: 1 },
      ]);
    });

    test('concurrent rebuilds during clicks leave correct totals', async () => {
      await world.engine.write(world.program.id, ({ db }) => db.deleteFrom('daily_totals').execute());
      await Promise.all([
        ...Array.from({ length: 40 }, () => world.click('anna')),
        ...Array.from({ length: 4 }, () => rebuild()),
      ]);
      expect(await check()).toEqual([]);
    });

    test('the migration adds hourly totals to an older database', async () => {
      const before = await totals();
      await world.engine.write(world.program.id, async ({ db }) => {
        await db.deleteFrom('daily_totals').where('partner_id', '<', 0).execute();
        await sql`DELETE FROM affkit_migrations WHERE name = '0003-reads'`.execute(db);
      });
      expect(await check()).toHaveLength(3);
      await world.affkit.migrate();
      expect(await check()).toEqual([]);
      expect(await totals()).toEqual(before);
    });
  });
}
