import type { SqliteClickStoreFactory } from '../../src/storage/database/click-store.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { openSqliteEngine } from '../../src/storage/database/engine/sqlite-engine.ts';
import { SqliteClickStore } from '../../src/storage/tracking/clicks-sqlite.ts';

const createDefaultStore: SqliteClickStoreFactory = (statements, slot) =>
  new SqliteClickStore(statements, slot);

/** Opens an engine on a migrated in-memory database. */
export function migratedInMemory(createClickStore = createDefaultStore): Promise<Engine> {
  return openMigrated(':memory:', createClickStore);
}

/** Opens an engine on a database file, and runs the migrations. */
export async function openMigrated(path: string, createClickStore = createDefaultStore): Promise<Engine> {
  const engine = openSqliteEngine({ path }, createClickStore);
  await engine.migrate();
  return engine;
}
