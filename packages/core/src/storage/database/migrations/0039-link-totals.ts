import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the page and the sub-id that a partner chose for a link. Also adds the daily totals of links and of
 * their sub-ids. A job computes the totals from all events, including existing ones.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  // Without a rowid, SQLite stores the rows in the order of the primary key. Queries read them in this order.
  const order = dialect === 'sqlite' ? 'WITHOUT ROWID' : '';
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE links ADD COLUMN landing_path TEXT',
    'ALTER TABLE links ADD COLUMN sub_id TEXT',
    `CREATE TABLE link_totals (
      program_id INT NOT NULL, link_id INT NOT NULL, kind INT NOT NULL, day INT NOT NULL,
      sub_id TEXT NOT NULL, measure TEXT NOT NULL, total INT NOT NULL,
      PRIMARY KEY (program_id, link_id, kind, day, sub_id, measure)) ${order}`,
    'CREATE INDEX link_totals_by_day ON link_totals (program_id, day, kind, link_id, sub_id)',
    `CREATE TABLE link_total_progress (
      program_id INT NOT NULL PRIMARY KEY, click_id INT NOT NULL, lead_id INT NOT NULL, sale_id INT NOT NULL,
      commission_id INT NOT NULL, as_of INT)`,
  ]);
}
