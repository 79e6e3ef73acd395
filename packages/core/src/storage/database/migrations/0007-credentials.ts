import type { Kysely } from 'kysely';
import { type Dialect, runDdl } from './dialect.ts';

/** Adds a flag that shows whether the user set the password. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runDdl(db, dialect, ['ALTER TABLE users ADD COLUMN password_is_own INT NOT NULL DEFAULT 1']);
}
