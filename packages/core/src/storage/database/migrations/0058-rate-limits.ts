import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the table in which servers count the requests of clients together. Its columns are those of
 * rate-limiter-flexible. After a crash, Postgres empties the table instead of writing each count to the disk. On
 * SQLite, each process counts in its memory.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  if (dialect !== 'postgres') return;
  await runMigrationStatements(db, dialect, [
    'CREATE UNLOGGED TABLE rate_limits (key TEXT PRIMARY KEY, points INTEGER NOT NULL, expire BIGINT)',
  ]);
}
