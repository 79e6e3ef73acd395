import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the data of emails about events, and a key that prevents a second email about the same event. Also
 * adds the email categories that a recipient has turned off, and the last period of recurring emails.
 * Applications get the time when the email address was confirmed.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE emails ADD COLUMN data TEXT',
    'ALTER TABLE emails ADD COLUMN dedupe_key TEXT',
    'CREATE UNIQUE INDEX emails_by_dedupe_key ON emails (dedupe_key) WHERE dedupe_key IS NOT NULL',
    `CREATE TABLE email_opt_outs (
      recipient TEXT NOT NULL, category TEXT NOT NULL, created_at INT NOT NULL,
      PRIMARY KEY (recipient, category))`,
    `CREATE TABLE email_schedules (
      kind TEXT NOT NULL, owner_id INT NOT NULL, period TEXT NOT NULL, next_id INT NOT NULL,
      PRIMARY KEY (kind, owner_id))`,
    'ALTER TABLE applications ADD COLUMN email_confirmed_at INT',
  ]);
}
