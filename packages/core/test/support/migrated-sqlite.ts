import type { SqliteClickStoreFactory } from '../../src/storage/database/click-store.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { openSqliteEngine } from '../../src/storage/database/engine/sqlite.ts';
import { SqliteClickStore } from '../../src/storage/tracking/clicks-sqlite.ts';

const createDefaultStore: SqliteClickStoreFactory = (statements, slot) =>
  new SqliteClickStore(statements, slot);

/** Opens an engine on a migrated in-memory database. */
export function migratedInMemory(createClickStore = createDefaultStore): Promise<Engine> {
  return migratedOnDisk(':memory:', createClickStore);
}

/** Creates a migrated database file and opens an engine on it. */
export async function migratedOnDisk(path: string, createClickStore = createDefaultStore): Promise<Engine> {
  const engine = openSqliteEngine({ path }, createClickStore);
  await engine.migrate();
  return engine;
}
