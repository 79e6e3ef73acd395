import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds the outbox of emails. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE emails (
      id ROW_ID,
      message_key TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      workspace_id INT REFERENCES workspaces (id),
      program_id INT,
      recipient TEXT NOT NULL,
      sealed_token TEXT,
      status TEXT NOT NULL CHECK (status IN ('queued', 'sent', 'failed')),
      attempts INT NOT NULL,
      run_at INT NOT NULL,
      expires_at INT NOT NULL,
      last_error TEXT,
      created_at INT NOT NULL,
      finished_at INT
    )`,
    `CREATE INDEX emails_due ON emails (expires_at, id) WHERE status = 'queued'`,
    'CREATE INDEX emails_of_workspace ON emails (workspace_id, id)',
    'CREATE INDEX emails_by_age ON emails (created_at)',
    'CREATE INDEX emails_by_recipient ON emails (recipient, kind, created_at)',
    `CREATE UNIQUE INDEX emails_queued_reset ON emails (recipient)
      WHERE kind = 'password_reset' AND status = 'queued'`,
  ]);
}
