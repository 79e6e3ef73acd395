import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the daily clicks of each link. A job counts the clicks, including existing ones, and stores its
 * progress.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  // Without a rowid, SQLite stores the rows in the order of the primary key. Queries read them in this order.
  const order = dialect === 'sqlite' ? 'WITHOUT ROWID' : '';
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE link_clicks (
      program_id INT NOT NULL, link_id INT NOT NULL, day INT NOT NULL, clicks INT NOT NULL,
      PRIMARY KEY (program_id, link_id, day)) ${order}`,
    'CREATE TABLE link_click_progress (program_id INT NOT NULL PRIMARY KEY, click_id INT NOT NULL)',
  ]);
}
