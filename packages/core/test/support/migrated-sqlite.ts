import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { CompiledQuery, sql } from 'kysely';
import type { SqliteClickStoreFactory } from '../../src/storage/database/click-store.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { openSqliteEngine } from '../../src/storage/database/engine/sqlite.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { SqliteClickStore } from '../../src/storage/tracking/clicks-sqlite.ts';

/** A migrated, empty database. Copying it is faster than running the migrations. */
interface Template {
  readonly file: Uint8Array;
  /** Statements that create the same schema, in the order in which the migrations ran them. */
  readonly ddl: readonly string[];
  /** Names of the applied migrations. */
  readonly migrations: readonly string[];
}

let template: Promise<Template> | undefined;

const createDefaultStore: SqliteClickStoreFactory = (statements, slot) =>
  new SqliteClickStore(statements, slot);

/** Opens an engine on a migrated in-memory database. */
export async function migratedInMemory(createClickStore = createDefaultStore): Promise<Engine> {
  template ??= makeTemplate();
  const { ddl, migrations } = await template;
  const engine = openSqliteEngine({ path: ':memory:' }, createClickStore);
  await engine.write(0, async ({ db }) => {
    for (const statement of ddl) await db.executeQuery(CompiledQuery.raw(statement));
    const names = sql.join(migrations.map((name) => sql`(${name})`));
    await sql`INSERT INTO affkit_migrations (name) VALUES ${names}`.execute(db);
  });
  return engine;
}

/** Creates a migrated database file and opens an engine on it. */
export async function migratedOnDisk(path: string, createClickStore = createDefaultStore): Promise<Engine> {
  template ??= makeTemplate();
  writeFileSync(path, (await template).file);
  return openSqliteEngine({ path }, createClickStore);
}

async function makeTemplate(): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-template-'));
  try {
    const path = join(folder, 'template.db');
    const engine = sqliteEngine({ path });
    await engine.migrate();
    await engine.close();
    return { file: readFileSync(path), ...readSchema(path) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSchema(path: string): Omit<Template, 'file'> {
  const database = new BetterSqlite3(path, { readonly: true });
  const texts = (query: string) => database.prepare<[], string>(query).pluck().all();
  const isOwn = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  const tables = texts(`SELECT name FROM sqlite_master WHERE type = 'table' AND ${isOwn}`);
  const nonEmpty = tables.filter((name) => texts(`SELECT 1 FROM ${name} LIMIT 1`).length > 0);
  if (nonEmpty.join() !== 'affkit_migrations')
    throw new Error(
      `Only affkit_migrations may contain rows after the migrations, got rows in ${nonEmpty.join()}`,
    );
  const schema = {
    ddl: texts(`SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND ${isOwn} ORDER BY rowid`),
    migrations: texts('SELECT name FROM affkit_migrations'),
  };
  database.close();
  return schema;
}
