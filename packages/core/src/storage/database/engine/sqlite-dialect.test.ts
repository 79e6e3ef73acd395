import BetterSqlite3, { type Database } from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Schema } from '../schema.ts';
import { sqliteKysely } from './sqlite-dialect.ts';
import { StatementCache } from './statement-cache.ts';

const RUNS = 5;

let database: Database;
let db: Kysely<Schema>;

beforeEach(() => {
  database = new BetterSqlite3(':memory:');
  database.exec(`
    CREATE TABLE codes (code TEXT PRIMARY KEY, owner INTEGER);
    CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO codes VALUES ('anna', 1);
    INSERT INTO owners VALUES (1, 'Anna')`);
  const statements = new StatementCache(database);
  db = sqliteKysely(async (query) => statements.run(query));
});

afterEach(() => database.close());

/**
 * Counts how often statements are planned. For each new plan, the driver creates a function that builds the
 * rows, so the calls of `Function` are counted.
 */
async function countPlans(run: () => unknown): Promise<number> {
  const created = vi.spyOn(globalThis, 'Function');
  try {
    for (let index = 0; index < RUNS; index++) await run();
    return created.mock.calls.length;
  } finally {
    created.mockRestore();
  }
}

test('plans a join once, even if its parameter changes', async () => {
  const names: unknown[] = [];
  const plans = await countPlans(async () => {
    const code = ['anna', 'ben'][names.length % 2];
    const { rows } = await sql`SELECT name FROM codes JOIN owners ON id = owner WHERE code = ${code}`.execute(
      db,
    );
    names.push(rows);
  });
  expect(names).toEqual([[{ name: 'Anna' }], [], [{ name: 'Anna' }], [], [{ name: 'Anna' }]]);
  expect(plans).toBe(1);
});

test('SQLite plans a join again on each run if the parameter is a plain ?', async () => {
  const statement = database.prepare('SELECT name FROM codes JOIN owners ON id = owner WHERE code = ?');
  expect(await countPlans(() => statement.get('anna'))).toBe(RUNS);
});
