import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds payout batches, settings of payouts, and the monthly schedule. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE payout_batches (
      program_id INT NOT NULL REFERENCES programs (id), id ID, channel TEXT NOT NULL, currency TEXT NOT NULL,
      program_name TEXT NOT NULL, sealed_debtor TEXT, creator_kind TEXT NOT NULL, creator_id INT, created_at INT NOT NULL, closed_at INT, TENANT_KEY)`,
    `CREATE TABLE payout_batch_items (
      program_id INT NOT NULL, batch_id INT NOT NULL, payout_id INT NOT NULL, partner_id INT NOT NULL,
      partner_name TEXT NOT NULL, status TEXT NOT NULL CHECK (status IN ('sent', 'paid', 'failed')),
      amount_cents INT NOT NULL CHECK (amount_cents > 0), withheld_cents INT NOT NULL DEFAULT 0,
      sealed_details TEXT NOT NULL, reason TEXT, reference TEXT, closed_at INT,
      PRIMARY KEY (program_id, batch_id, payout_id))`,
    'CREATE INDEX payout_batch_items_by_payout ON payout_batch_items (program_id, payout_id)',
    'ALTER TABLE payouts ADD COLUMN batch_id INT',
    `CREATE TABLE payout_settings (
      program_id INT NOT NULL PRIMARY KEY, min_payout_cents INT, schedule_day INT, scheduled_at INT, sealed_debtor TEXT)`,
    'ALTER TABLE partner_programs ADD COLUMN min_payout_cents INT',
    `CREATE TABLE payout_runs (
      id ROW_ID, program_id INT NOT NULL, month TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('proposed', 'confirmed', 'dismissed', 'empty')),
      totals TEXT NOT NULL, created_at INT NOT NULL, decided_at INT, decided_by INT, UNIQUE (program_id, month))`,
  ]);
}
