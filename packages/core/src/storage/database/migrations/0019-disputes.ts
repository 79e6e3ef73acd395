import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds disputes of the processor's charges, and a hold of commissions during a dispute. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE commissions ADD COLUMN disputed INT NOT NULL DEFAULT 0',
    'DROP INDEX commissions_on_hold',
    `CREATE INDEX commissions_on_hold ON commissions (releasable_at)
      WHERE status = 'pending' AND needs_approval = 0 AND disputed = 0`,
    `CREATE TABLE processor_disputes (
      workspace_id INT NOT NULL, dispute TEXT NOT NULL, charge TEXT NOT NULL, program_id INT, sale_id INT,
      state TEXT NOT NULL CHECK (state IN ('open', 'reinstated', 'lost', 'won')), applied_state TEXT,
      amount_cents INT NOT NULL CHECK (amount_cents >= 0), currency TEXT NOT NULL, reason TEXT,
      reported_at INT NOT NULL, parked_at INT NOT NULL, check_at INT, PRIMARY KEY (workspace_id, dispute),
      FOREIGN KEY (program_id, sale_id) REFERENCES sales (program_id, id))`,
    'CREATE INDEX processor_disputes_by_charge ON processor_disputes (workspace_id, charge)',
    'CREATE INDEX processor_disputes_by_sale ON processor_disputes (program_id, sale_id)',
    'CREATE INDEX processor_disputes_due ON processor_disputes (check_at) WHERE check_at IS NOT NULL',
  ]);
}
