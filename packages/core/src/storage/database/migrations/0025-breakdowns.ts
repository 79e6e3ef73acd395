import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds daily breakdowns of a program's events. A job counts the events, including existing ones, and stores
 * its progress.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  // Without a rowid, SQLite stores the rows in the order of the primary key. Queries read them in this order.
  const order = dialect === 'sqlite' ? 'WITHOUT ROWID' : '';
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE breakdowns (
      program_id INT NOT NULL, dimension TEXT NOT NULL, day INT NOT NULL, is_other INT NOT NULL,
      value TEXT NOT NULL, measure TEXT NOT NULL, total INT NOT NULL,
      PRIMARY KEY (program_id, dimension, day, is_other, value, measure)) ${order}`,
    `CREATE TABLE breakdown_progress (
      program_id INT NOT NULL PRIMARY KEY, click_id INT NOT NULL, lead_id INT NOT NULL, sale_id INT NOT NULL,
      as_of INT)`,
  ]);
}
