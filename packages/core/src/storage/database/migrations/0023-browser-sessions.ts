import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds sign-in codes and browser sessions, which are extended by each request. Each session gets a new `id`
 * that is not secret. The previous id, which the session's token contains, is kept as `token_id`. Existing
 * sessions remain valid. The table is recreated, because SQLite cannot add a generated id to a table.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'DROP INDEX sessions_by_expiry',
    'DROP INDEX sessions_by_user',
    'ALTER TABLE sessions RENAME TO old_sessions',
    `CREATE TABLE sessions (
      id ROW_ID, token_id TEXT NOT NULL, user_id INT NOT NULL REFERENCES users (id), device TEXT,
      expires_at INT NOT NULL, renewable_until INT, last_used_at INT NOT NULL, created_at INT NOT NULL)`,
    `INSERT INTO sessions (token_id, user_id, expires_at, last_used_at, created_at)
      SELECT id, user_id, expires_at, created_at, created_at FROM old_sessions ORDER BY created_at, id`,
    'DROP TABLE old_sessions',
    'CREATE UNIQUE INDEX sessions_by_token ON sessions (token_id)',
    'CREATE INDEX sessions_by_expiry ON sessions (expires_at)',
    'CREATE INDEX sessions_by_user ON sessions (user_id, id)',
    `CREATE TABLE sign_in_codes (
      code_hash TEXT PRIMARY KEY, user_id INT NOT NULL REFERENCES users (id), expires_at INT NOT NULL,
      created_at INT NOT NULL)`,
    'CREATE INDEX sign_in_codes_by_user ON sign_in_codes (user_id)',
  ]);
}
