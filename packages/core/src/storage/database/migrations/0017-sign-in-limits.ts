import { type Kysely, sql } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Allows a failed sign-in to be counted under any number of keys. Adds a flag for passwords that must be replaced at
 * the next sign-in. Existing failures are deleted, because they count for only 15 minutes.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'DROP TABLE login_failures',
    `CREATE TABLE login_failures (
      id ROW_ID, attempt_hash TEXT NOT NULL, key_hash TEXT NOT NULL, failed_at INT NOT NULL)`,
    'CREATE INDEX login_failures_by_key ON login_failures (key_hash, failed_at)',
    'CREATE INDEX login_failures_by_attempt ON login_failures (attempt_hash)',
    'CREATE INDEX login_failures_by_time ON login_failures (failed_at)',
    'ALTER TABLE users ADD COLUMN password_is_temporary INT NOT NULL DEFAULT 0',
  ]);
  await markPasswordsOfOwners(db);
}

/**
 * Marks passwords that another person has set. In earlier versions, an owner could add a member with a
 * password. In that case, the audit row contains the id of the new user. The audit row of an invitation
 * contains no user.
 */
async function markPasswordsOfOwners(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ state_after: string | null }>`SELECT state_after FROM audit_log
    WHERE action = 'member.create'`.execute(db);
  for (const { state_after: text } of rows) {
    const userId: unknown = text === null ? null : JSON.parse(text).user_id;
    if (typeof userId !== 'number') continue;
    await sql`UPDATE users SET password_is_temporary = 1
      WHERE id = ${userId} AND password_is_own = 0`.execute(db);
  }
}
