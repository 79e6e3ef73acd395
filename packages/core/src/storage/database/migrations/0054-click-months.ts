import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';
import { partitionSmallClickTable } from './partition-clicks.ts';

/**
 * Adds the months whose clicks were removed, the id of the installation, and the time up to which the clicks of
 * links are counted. On Postgres, also partitions the table of clicks by month if it is small. A job partitions a
 * large table later, because its rows must be checked first.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE removed_months (
      month INT NOT NULL PRIMARY KEY, ends_at INT NOT NULL, clicks INT NOT NULL, archive_sha256 TEXT, started_at INT NOT NULL,
      removed_at INT)`,
    'CREATE TABLE installation (id INT PRIMARY KEY CHECK (id = 1), uuid TEXT NOT NULL)',
    'ALTER TABLE link_click_progress ADD COLUMN as_of INT',
  ]);
  if (dialect === 'postgres') await partitionSmallClickTable(db, Date.now());
}
