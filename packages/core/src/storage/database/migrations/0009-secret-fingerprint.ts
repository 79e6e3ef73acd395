import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds a fingerprint of the service's secret. The service compares it at startup, to detect a changed secret. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'CREATE TABLE secret_fingerprint (id INT PRIMARY KEY CHECK (id = 1), fingerprint TEXT NOT NULL)',
  ]);
}
