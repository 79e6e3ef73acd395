import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { SqliteClickStoreFactory } from '../../src/storage/database/click-store.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import { SqliteClickStore } from '../../src/storage/tracking/clicks-sqlite.ts';
import { type RecyclableDatabase, ResettableClickStores } from './recycled-engine.ts';

/** @param open opens an engine on a new migrated database, which `deleteFiles` removes */
export async function createRecyclableSqlite(
  open: (createClickStore: SqliteClickStoreFactory) => Promise<Engine>,
  deleteFiles = () => {},
): Promise<RecyclableDatabase> {
  const stores = new ResettableClickStores();
  const engine = await open((...args) => stores.open(() => new SqliteClickStore(...args)));
  const tables = await engine.write(0, async ({ db }) => {
    const names = await listTables(db);
    await allowDeletesOf(db, 'ledger_entries_are_kept');
    return names;
  });
  const first = await readState(engine.read);
  return {
    engine,
    hasChanged: async () => (await readState(engine.read)) !== first,
    empty: () =>
      engine.write(0, async ({ db }) => {
        await sql`PRAGMA defer_foreign_keys = ON`.execute(db);
        await sql`INSERT INTO recycling VALUES (1)`.execute(db);
        for (const table of tables) await sql`DELETE FROM ${sql.table(table)}`.execute(db);
        await sql`DELETE FROM recycling`.execute(db);
      }),
    copyRows: async () => {
      const inserts = await engine.write(0, ({ db }) => createInserts(db, tables));
      return () =>
        engine.write(0, async ({ db }) => {
          await sql`PRAGMA defer_foreign_keys = ON`.execute(db);
          for (const insert of inserts) await db.executeQuery(insert);
        });
    },
    clearCaches: () => stores.reset(),
    drop: async () => {
      await engine.close();
      deleteFiles();
    },
  };
}

/** Lists the tables whose rows tests may write, and `sqlite_sequence`, in which SQLite stores the latest ids. */
async function listTables(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'affkit_migrations'`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Creates statements that insert the rows of `tables` into an empty database. The triggers of some tables also insert
 * rows into later tables. The statements replace these.
 */
async function createInserts(db: Kysely<Schema>, tables: readonly string[]): Promise<CompiledQuery[]> {
  const inserts: CompiledQuery[] = [];
  for (const table of tables) {
    // SQLite writes `sqlite_sequence` itself.
    if (table === 'sqlite_sequence') continue;
    const { rows } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(table)}`.execute(db);
    if (rows.length === 0) continue;
    const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
    inserts.push(sql`INSERT OR REPLACE INTO ${sql.table(table)} VALUES ${sql.join(values)}`.compile(db));
  }
  return inserts;
}

/**
 * Changes a trigger that rejects every delete, so that it allows deletes while the table `recycling` has a
 * row.
 */
async function allowDeletesOf(db: Kysely<Schema>, trigger: string): Promise<void> {
  const { rows } = await sql<{ text: string }>`
    SELECT sql AS text FROM sqlite_master WHERE name = ${trigger}`.execute(db);
  const text = rows[0]?.text.replace('BEGIN', 'WHEN NOT EXISTS (SELECT 1 FROM recycling) BEGIN') ?? '';
  for (const statement of ['CREATE TABLE recycling (is_running INT)', `DROP TRIGGER ${trigger}`, text]) {
    await sql.raw(statement).execute(db);
  }
}

async function readState(db: Kysely<Schema>): Promise<string> {
  const { rows: schema } = await sql`PRAGMA schema_version`.execute(db);
  const { rows: migrations } = await sql`SELECT name FROM affkit_migrations ORDER BY name`.execute(db);
  return JSON.stringify([schema, migrations]);
}
