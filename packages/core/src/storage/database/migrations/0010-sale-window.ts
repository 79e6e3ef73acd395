import type { Kysely } from 'kysely';
import { type Dialect, runDdl } from './dialect.ts';

/** Adds the attribution window that applied to a sale; it is unknown for older sales. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runDdl(db, dialect, ['ALTER TABLE sales ADD COLUMN window_days INT']);
}
