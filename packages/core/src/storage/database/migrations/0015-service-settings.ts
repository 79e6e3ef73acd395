import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds settings that must be the same in all processes that use the database. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'CREATE TABLE service_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
  ]);
}
