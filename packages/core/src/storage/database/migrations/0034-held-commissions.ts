import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Replaces the two indexes of unpaid commissions (on hold, in review) with one. The new index has every column
 * that is needed to compute payable amounts. It also has the columns of its own WHERE condition. Without them,
 * SQLite would read each row to check that condition.
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
