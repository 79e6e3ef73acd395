import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds refunds of sales without a commission, and the time when a pair of payment ids was last used. For
 * existing pairs, this is the time of the migration.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE processor_ties ADD COLUMN used_at INT NOT NULL DEFAULT 0',
    `UPDATE processor_ties SET used_at = ${Date.now()}`,
    'CREATE INDEX processor_ties_by_use ON processor_ties (used_at)',
    `CREATE TABLE kept_refunds (
      program_id INT NOT NULL, id ID, sale_id INT NOT NULL, refund_id TEXT, refund_amount_cents INT, reason TEXT,
      refund_at INT NOT NULL, created_at INT NOT NULL, LEAF_KEY,
      FOREIGN KEY (program_id, sale_id) REFERENCES sales (program_id, id))`,
    'CREATE INDEX kept_refunds_by_sale ON kept_refunds (program_id, sale_id)',
    `CREATE UNIQUE INDEX kept_refunds_by_refund_id ON kept_refunds (program_id, sale_id, refund_id)
      WHERE refund_id IS NOT NULL`,
  ]);
}
