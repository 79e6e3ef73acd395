import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds commit markers. If the reply to a COMMIT is lost, they show whether the transaction was committed. SQLite
 * needs no markers, because it runs in the same process.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  if (dialect !== 'postgres') return;
  await runMigrationStatements(db, dialect, [
    'CREATE TABLE commit_markers (id TEXT PRIMARY KEY, created_at INT NOT NULL)',
    'CREATE INDEX commit_markers_by_age ON commit_markers (created_at)',
  ]);
}
