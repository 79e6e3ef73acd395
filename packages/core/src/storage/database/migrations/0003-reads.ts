import { type Kysely, sql } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

const EVENTS = [
  ['click_events', 'click_at', 'clicks'],
  ['lead_events', 'lead_at', 'leads'],
  ['sales', 'sale_at', 'sales'],
] as const;

/** Adds an index with the sort order of the event list, and hourly totals of events. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  for (const [table, at, measure] of EVENTS) {
    // On SQLite, every index already ends with the rowid, which is the id.
    if (dialect === 'postgres') {
      await runMigrationStatements(db, dialect, [
        `DROP INDEX ${table}_by_time`,
        `CREATE INDEX ${table}_by_time ON ${table} (program_id, is_test, ${at}, id)`,
      ]);
    }
    await sql
      .raw(
        `INSERT INTO daily_totals (program_id, partner_id, day, measure, slot, value)
        SELECT program_id, -1 - ${at} / 3600000 % 24, ${at} / 86400000, '${measure}', 0, COUNT(*) FROM ${table}
        WHERE is_test = 0 GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING`,
      )
      .execute(db);
  }
}
