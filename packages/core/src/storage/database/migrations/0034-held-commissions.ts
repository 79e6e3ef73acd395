import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Replaces two indexes of unpaid commissions, on hold and in review, by a single index. It contains all
 * columns that are needed to compute payable amounts. SQLite would read each row to check the condition of
 * the index, so the index also contains the columns of the condition.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'DROP INDEX commissions_held',
    'DROP INDEX commissions_reviewed',
    `CREATE INDEX commissions_held ON commissions
      (program_id, partner_id, currency, releasable_at, needs_approval, disputed, amount_cents, deducted_cents,
        adjusted_cents, payout_id, rejected_at, paid_at, approved_at)
      WHERE payout_id IS NULL AND rejected_at IS NULL AND paid_at IS NULL AND approved_at IS NULL`,
  ]);
}
