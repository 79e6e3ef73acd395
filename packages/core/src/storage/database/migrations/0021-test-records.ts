import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the mode of a connection, refunds in test mode, and the commissions of cancelled payouts. Existing
 * connections become `live`. The sale id of a test refund is not a foreign key, because old test sales
 * are deleted.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `ALTER TABLE processor_connections ADD COLUMN mode TEXT NOT NULL DEFAULT 'live'
      CHECK (mode IN ('live', 'test'))`,
    'ALTER TABLE processor_connections ADD COLUMN record_test_events INT NOT NULL DEFAULT 0',
    `CREATE TABLE test_refunds (
      program_id INT NOT NULL, id ID, sale_id INT NOT NULL, refund_amount_cents INT, reason TEXT,
      is_test INT NOT NULL CHECK (is_test = 1), refund_at INT NOT NULL, created_at INT NOT NULL, LEAF_KEY)`,
    `CREATE TABLE cancelled_payout_commissions (
      program_id INT NOT NULL, commission_id INT NOT NULL, payout_id INT NOT NULL,
      PRIMARY KEY (program_id, commission_id, payout_id))`,
  ]);
}
