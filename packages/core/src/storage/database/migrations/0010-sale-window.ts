import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds the attribution window that applied to a sale. It is unknown for existing sales. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, ['ALTER TABLE sales ADD COLUMN window_days INT']);
}
