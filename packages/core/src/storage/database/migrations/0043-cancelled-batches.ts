import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

const STATUSES = "('sent', 'paid', 'failed', 'cancelled')";

/** SQLite cannot drop a constraint on its own, but it can drop a column with its constraint. */
const statusOnSqlite = [
  `ALTER TABLE payout_batch_items ADD COLUMN new_status TEXT NOT NULL DEFAULT 'sent' CHECK (new_status IN ${STATUSES})`,
  'UPDATE payout_batch_items SET new_status = status',
  'ALTER TABLE payout_batch_items DROP COLUMN status',
  'ALTER TABLE payout_batch_items RENAME COLUMN new_status TO status',
];

const statusOnPostgres = [
  'ALTER TABLE payout_batch_items DROP CONSTRAINT payout_batch_items_status_check',
  `ALTER TABLE payout_batch_items ADD CONSTRAINT payout_batch_items_status_check CHECK (status IN ${STATUSES})`,
];

/** Adds the cancellation of batches. Existing files are marked as downloaded, because the advertiser may have them. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE payout_batches ADD COLUMN downloaded_at INT',
    "UPDATE payout_batches SET downloaded_at = created_at WHERE channel LIKE 'file:%'",
    'ALTER TABLE payout_batches ADD COLUMN cancelled_at INT',
    ...(dialect === 'sqlite' ? statusOnSqlite : statusOnPostgres),
  ]);
}
