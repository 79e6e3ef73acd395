import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { Unavailable } from '../../src/rejection.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { openRecycledPostgres } from './recycled-postgres.ts';
import { makeWorld } from './world.ts';

const open = () => openRecycledPostgres(inject('postgresUrl'));

async function databaseOf(engine: Engine): Promise<unknown> {
  return (await sql`SELECT current_database() AS name`.execute(engine.read)).rows;
}

test('the next test gets the same database without rows, and the same ids', async () => {
  const first = await makeWorld(await open());
  await first.track('sale', {
    transaction_id: 't1',
    amount_cents: 1000,
    click_id: await first.click('anna'),
  });
  const database = await databaseOf(first.engine);
  await first.affkit.close();

  const engine = await open();
  expect(await databaseOf(engine)).toEqual(database);
  for (const table of ['sales', 'ledger_entries', 'users', 'commit_markers'] as const) {
    expect(await engine.read.selectFrom(table).selectAll().execute()).toEqual([]);
  }
  const second = await makeWorld(engine);
  expect([second.program.id, second.anna, second.ben]).toEqual([first.program.id, first.anna, first.ben]);
  await second.affkit.close();
});

test.each([
  'CREATE TABLE things (id INT)',
  'DROP TRIGGER ledger_entries_are_kept ON ledger_entries',
  "DELETE FROM affkit_migrations WHERE name = '0005-money'",
])('a database is not used again after %s', async (change) => {
  const engine = await open();
  const database = await databaseOf(engine);
  await engine.write(0, ({ db }) => sql.raw(change).execute(db));
  await engine.close();
  const next = await open();
  expect(await databaseOf(next)).not.toEqual(database);
  await next.close();
});

test('a closed engine rejects writes and snapshots', async () => {
  const engine = await open();
  await engine.close();
  await expect(engine.write(0, async () => 'late')).rejects.toThrow(Unavailable);
  await expect(engine.snapshot(async () => 'late')).rejects.toThrow(Unavailable);
});
