import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds `matched_cents`: the part of a charge's refunded total that deducts nothing, because other refunds of the sale
 * have already deducted it.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE processor_charges ADD COLUMN matched_cents INT NOT NULL DEFAULT 0',
    `UPDATE processor_charges SET matched_cents = settled_cents - deducted_cents
     WHERE settled_cents > deducted_cents`,
  ]);
}
