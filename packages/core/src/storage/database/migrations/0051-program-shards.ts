import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds a table with one row per program. On a Citus cluster, the row is on the same worker as the other rows
 * of the program. A single statement of a job can therefore find the programs whose rows meet a condition.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'CREATE TABLE program_shards (program_id INT NOT NULL PRIMARY KEY)',
    'INSERT INTO program_shards (program_id) SELECT id FROM programs',
  ]);
}
