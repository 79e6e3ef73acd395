import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Renames the table of sign-in codes, because it will also contain the codes of password reset links. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE sign_in_codes RENAME TO one_time_codes',
    'DROP INDEX sign_in_codes_by_user',
    'CREATE INDEX one_time_codes_by_user ON one_time_codes (user_id)',
  ]);
}
