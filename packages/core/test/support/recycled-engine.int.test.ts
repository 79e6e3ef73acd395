import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../src/rejection.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { usesCitus } from './citus-server.ts';
import { engineKinds, memoryKinds } from './engine-kinds.ts';
import { addProgram, makeWorld } from './world.ts';

/** Returns a value that identifies the Postgres database or the SQLite connection. */
async function identify({ dialect, write, read }: Engine): Promise<unknown> {
  if (dialect === 'postgres') return (await sql`SELECT current_database() AS name`.execute(read)).rows;
  return write(0, async ({ db }) => {
    await sql`CREATE TEMP TABLE IF NOT EXISTS marks (mark TEXT DEFAULT (hex(randomblob(8))))`.execute(db);
    const { rows } = await sql`SELECT mark FROM marks`.execute(db);
    if (rows.length > 0) return rows;
    return (await sql`INSERT INTO marks DEFAULT VALUES RETURNING mark`.execute(db)).rows;
  });
}

/** Returns the rows of all tables whose rows do not depend on the time. */
async function readRows({ dialect, read }: Engine): Promise<Record<string, string[]>> {
  const { rows: tables } = await (dialect === 'sqlite'
    ? sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
    : sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
  ).execute(read);
  const rows: Record<string, string[]> = {};
  for (const { name } of tables.filter(({ name }) => name !== 'commit_markers')) {
    const found = await sql`SELECT * FROM ${sql.table(name)}`.execute(read);
    rows[name] = found.rows.map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}

describe.each(Object.entries({ ...memoryKinds, ...engineKinds }))('on %s', (_kind, open) => {
  test('the next test gets the same database without rows, and new rows get the same ids as before', async () => {
    const first = await makeWorld(await open());
    await first.track('sale', {
      transaction_id: 't1',
      amount_cents: 1000,
      click_id: await first.click('anna'),
    });
    const database = await identify(first.engine);
    await first.affkit.close();

    const engine = await open();
    expect(await identify(engine)).toEqual(database);
    const ownTable = engine.dialect === 'sqlite' ? 'recycling' : 'commit_markers';
    for (const table of ['sales', 'ledger_entries', 'users', ownTable]) {
      const { rows } = await sql`SELECT * FROM ${sql.table(table)}`.execute(engine.read);
      expect(rows, table).toEqual([]);
    }
    const second = await makeWorld(engine);
    expect([second.program.id, second.anna, second.ben]).toEqual([first.program.id, first.anna, first.ben]);
    await second.affkit.close();
  });

  const insertsRows = async () => {
    const settings = { name: `Program of ${randomUUID()}` };
    const make = async () => {
      const world = await makeWorld(await open(), settings);
      const rows = await readRows(world.engine);
      const added = await addProgram(world, world.workspaceId, 'cleo');
      const database = await identify(world.engine);
      await world.affkit.close();
      return { database, rows, ids: [world.token, added.program.id, added.partner.partnerId] };
    };
    const first = await make();
    expect(first.rows).toMatchObject({ partners: [expect.any(String), expect.any(String)] });
    expect(await make()).toEqual(first);
  };
  // On Citus, each test creates its world.
  if (!usesCitus)
    test('the next test with the same world gets the same rows, and new rows get the next ids', insertsRows);

  test('a reused database still rejects the deletion of ledger entries', async () => {
    const { affkit, engine, track, click } = await makeWorld(await open());
    await track('sale', { transaction_id: 't1', amount_cents: 1000, click_id: await click('anna') });
    const deletion = engine.write(0, ({ db }) => db.deleteFrom('ledger_entries').execute());
    await expect(deletion).rejects.toThrow('never');
    await affkit.close();
  });

  test.each([
    'CREATE TABLE things (id INT)',
    // Citus rejects changes of triggers.
    ...(usesCitus ? [] : ['DROP TRIGGER ledger_entries_are_kept ON ledger_entries']),
    "DELETE FROM affkit_migrations WHERE name = '0005-money'",
  ])('a database is not used again after %s', async (change) => {
    const engine = await open();
    const database = await identify(engine);
    const statement = engine.dialect === 'sqlite' ? change.replace(' ON ledger_entries', '') : change;
    await engine.write(0, ({ db }) => sql.raw(statement).execute(db));
    await engine.close();
    const next = await open();
    expect(await identify(next)).not.toEqual(database);
    await next.close();
  });

  test('a closed engine rejects writes and snapshots', async () => {
    const engine = await open();
    await engine.close();
    await expect(engine.write(0, async () => 'late')).rejects.toThrow(Unavailable);
    await expect(engine.snapshot(async () => 'late')).rejects.toThrow(Unavailable);
  });
});
