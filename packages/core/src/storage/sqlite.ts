import type { Engine } from './database/engine/engine.ts';
import { openSqliteEngine, type SqliteOptions } from './database/engine/sqlite-engine.ts';
import { SqliteClickStore } from './tracking/clicks-sqlite.ts';

export type { SqliteOptions } from './database/engine/sqlite-engine.ts';

/**
 * Opens a SQLite database in WAL mode. The promise of `Engine.write` resolves only after the commit is on the disk. A
 * single connection writes, with group commit. Reads use a separate read-only connection, because they would see
 * uncommitted data on the write connection.
 * @throws Error when the file cannot be opened in WAL mode; the message contains the path and the reason
 * @throws Error when this version of Node is too old for the driver
 */
export function sqliteEngine(options: SqliteOptions): Engine {
  return openSqliteEngine(options, (statements, slot) => new SqliteClickStore(statements, slot));
}
