import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds an index to count pending commissions without reading all other commissions. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE INDEX commissions_pending ON commissions (program_id) WHERE status = 'pending'`,
  ]);
}
