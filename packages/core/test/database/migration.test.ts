import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/storage/database/migrations/migrate.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import { migrationContract } from './migration-contract.ts';

async function open(): Promise<Kysely<Schema>> {
  const database = new SQLite(':memory:');
  database.pragma('foreign_keys = ON');
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database }) });
  onTestFinished(() => db.destroy());
  return db;
}

migrationContract('sqlite', open);

describe('a process that migrates several empty databases', () => {
  // Only an empty database gets a copy of the schema. In a database that contains another table, such as `orders`, the
  // migrations run one by one.
  const addOrders = (db: Kysely<Schema>) => sql`CREATE TABLE orders (id INTEGER)`.execute(db);

  async function migrateNew(prepare: (db: Kysely<Schema>) => Promise<unknown> = async () => {}) {
    const db = await open();
    await prepare(db);
    await migrate(db, 'sqlite');
    return db;
  }

  async function readSchema(db: Kysely<Schema>) {
    const { rows } = await sql<{ type: string; name: string; sql: string | null }>`
      SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name`.execute(db);
    return rows;
  }

  async function readNames(db: Kysely<Schema>) {
    return (await sql`SELECT name FROM affkit_migrations ORDER BY name`.execute(db)).rows;
  }

  test('the copy of the schema in each empty database equals the result of the migrations', async () => {
    const migrated = await migrateNew(addOrders);
    const schema = (await readSchema(migrated)).filter(({ name }) => name !== 'orders');
    expect(schema.length).toBeGreaterThan(100);
    for (const db of [await migrateNew(), await migrateNew()]) {
      expect(await readSchema(db)).toEqual(schema);
      expect(await readNames(db)).toEqual(await readNames(migrated));
      await migrate(db, 'sqlite');
      expect(await readSchema(db)).toEqual(schema);
    }
    expect((await readSchema(await migrateNew(addOrders))).map(({ name }) => name)).toContain('orders');
  });

  test('a copy of the schema needs no rows, because the migrations store no rows in an empty database', async () => {
    const db = await migrateNew(addOrders);
    for (const { type, name } of await readSchema(db)) {
      if (type !== 'table' || name === 'affkit_migrations' || name.startsWith('sqlite_')) continue;
      expect((await sql`SELECT * FROM ${sql.table(name)}`.execute(db)).rows, name).toEqual([]);
    }
  });
});
