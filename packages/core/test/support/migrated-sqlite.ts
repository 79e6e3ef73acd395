import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { CompiledQuery, sql } from 'kysely';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';

/** What the migrations make of an empty database: copied, which is faster than making it. */
interface Template {
  readonly file: Uint8Array;
  /** The statements that make the same, tables first, and the names of the migrations. */
  readonly ddl: readonly string[];
  readonly migrations: readonly string[];
}

let template: Promise<Template> | undefined;

/** An engine in memory that is migrated already. */
export async function migratedInMemory(): Promise<Engine> {
  template ??= makeTemplate();
  const { ddl, migrations } = await template;
  const engine = sqliteEngine({ path: ':memory:' });
  await engine.write(0, async ({ db }) => {
    for (const statement of ddl) await db.executeQuery(CompiledQuery.raw(statement));
    const names = sql.join(migrations.map((name) => sql`(${name})`));
    await sql`INSERT INTO affkit_migrations (name) VALUES ${names}`.execute(db);
  });
  return engine;
}

/** An engine on a new file, with Affkit's tables. */
export async function migratedOnDisk(path: string): Promise<Engine> {
  template ??= makeTemplate();
  writeFileSync(path, (await template).file);
  return sqliteEngine({ path });
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
  const own = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  const tables = texts(`SELECT name FROM sqlite_master WHERE type = 'table' AND ${own}`);
  const filled = tables.filter((name) => texts(`SELECT 1 FROM ${name} LIMIT 1`).length > 0);
  if (filled.join() !== 'affkit_migrations') throw new Error(`Migrations have filled ${filled.join()}`);
  const schema = {
    ddl: texts(`SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND ${own} ORDER BY rowid`),
    migrations: texts('SELECT name FROM affkit_migrations'),
  };
  database.close();
  return schema;
}
