import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds payout transfers, which are sent through a provider's API. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE payout_transfers (
      program_id INT NOT NULL, batch_id INT NOT NULL, payout_id INT NOT NULL, workspace_id INT NOT NULL,
      provider TEXT NOT NULL, transfer_key TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'accepted', 'unclear', 'done')),
      transfer_id TEXT, attempts INT NOT NULL DEFAULT 0, sent_at INT, run_at INT, last_error TEXT,
      PRIMARY KEY (program_id, batch_id, payout_id))`,
    'CREATE INDEX payout_transfers_due ON payout_transfers (run_at) WHERE run_at IS NOT NULL',
    'CREATE INDEX payout_transfers_by_key ON payout_transfers (transfer_key)',
    'CREATE INDEX payout_transfers_by_id ON payout_transfers (transfer_id)',
  ]);
}
