import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the table in which all servers count the requests of each client. Its columns are those of
 * rate-limiter-flexible. Postgres does not write the counts to its log, so it empties the table after a
 * crash. On SQLite, each process counts in its memory.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  if (dialect !== 'postgres') return;
  await runMigrationStatements(db, dialect, [
    'CREATE UNLOGGED TABLE rate_limits (key TEXT PRIMARY KEY, points INTEGER NOT NULL, expire BIGINT)',
  ]);
}
