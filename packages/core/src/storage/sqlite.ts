import type { Engine } from './database/engine/engine.ts';
import { openSqliteEngine, type SqliteOptions } from './database/engine/sqlite.ts';
import { SqliteClickStore } from './tracking/clicks-sqlite.ts';

export type { SqliteOptions } from './database/engine/sqlite.ts';

/**
 * Opens a SQLite database in WAL mode. A commit reaches the disk before its reply is sent. One connection
 * writes, with group commit. Reads use another connection, because the write connection would show them
 * uncommitted rows.
 * @throws Error when the file can't be opened or can't be made durable, with the path and the reason
 * @throws Error when this Node version is too old for the driver
 */
export function sqliteEngine(options: SqliteOptions): Engine {
  return openSqliteEngine(options, (statements, slot) => new SqliteClickStore(statements, slot));
}
