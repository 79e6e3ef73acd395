import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';

/** @param database URL of a Postgres database, or path of a SQLite file */
export function openDatabase(database: string): Engine {
  return database.startsWith('postgres:')
    ? // On a busy machine, the recovery of a killed server takes a long time.
      postgresEngine({ connectionString: database, reconnectTimeoutMs: 60_000 })
    : sqliteEngine({ path: database });
}
