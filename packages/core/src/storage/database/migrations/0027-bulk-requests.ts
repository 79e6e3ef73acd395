import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds the idempotency keys of bulk requests, and the result of each row. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE bulk_requests (
      program_id INT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, created_at INT NOT NULL,
      PRIMARY KEY (program_id, key))`,
    'CREATE INDEX bulk_requests_by_age ON bulk_requests (created_at)',
    `CREATE TABLE bulk_results (
      program_id INT NOT NULL, key TEXT NOT NULL, subject_id INT NOT NULL, result TEXT NOT NULL,
      created_at INT NOT NULL, PRIMARY KEY (program_id, key, subject_id))`,
    'CREATE INDEX bulk_results_by_age ON bulk_results (created_at)',
  ]);
}
