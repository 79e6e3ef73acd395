import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds a flag that says whether the user set the password. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE users ADD COLUMN password_is_own INT NOT NULL DEFAULT 1',
  ]);
}
