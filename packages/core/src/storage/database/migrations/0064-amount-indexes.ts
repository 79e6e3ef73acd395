import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Replaces the indexes on amounts, because lists compare only amounts of the same currency. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'DROP INDEX commissions_by_amount',
    'DROP INDEX commissions_by_status_and_amount',
    'CREATE INDEX commissions_by_amount ON commissions (program_id, currency, amount_cents, id)',
    `CREATE INDEX commissions_by_status_and_amount ON commissions
      (program_id, status, currency, amount_cents, id)`,
  ]);
}
