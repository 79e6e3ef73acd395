import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the sub-id of a click. Partners use sub-ids to label the places where they publish a link. Also adds an index
 * that finds the clicks with a given sub-id.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE click_events ADD COLUMN sub_id TEXT',
    `CREATE INDEX click_events_by_sub_id ON click_events (program_id, is_test, sub_id, click_at)
      WHERE sub_id IS NOT NULL`,
  ]);
}
