import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds a copy of the partner's payout details to each paid payout, for the receipt. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, ['ALTER TABLE payouts ADD COLUMN sealed_payee TEXT']);
}
