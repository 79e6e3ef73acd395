import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds the column `lost_cents` to refunds; see `RefundTable`. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, ['ALTER TABLE refunds ADD COLUMN lost_cents INT']);
}
