import type { Kysely } from 'kysely';
import { type Dialect, runDdl } from './dialect.ts';

/** The window that a sale was decided by; of the sales before, nobody knows it any more. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runDdl(db, dialect, ['ALTER TABLE sales ADD COLUMN window_days INT']);
}
