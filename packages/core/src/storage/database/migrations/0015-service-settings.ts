import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds the settings that all processes of one database must agree on. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'CREATE TABLE service_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
  ]);
}
