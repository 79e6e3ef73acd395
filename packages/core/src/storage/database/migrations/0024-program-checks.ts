import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the last rejected tracking calls of each program, and indexes to find the latest refund and webhook.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE refusals (
      program_id INT NOT NULL, id ID, route TEXT NOT NULL, code TEXT NOT NULL, reason TEXT NOT NULL,
      request_id TEXT NOT NULL, has_token INT NOT NULL, body TEXT NOT NULL, search_text TEXT NOT NULL,
      refused_at INT NOT NULL, TENANT_KEY)`,
    'CREATE INDEX refunds_by_time ON refunds (program_id, refund_at)',
    'CREATE INDEX processor_events_by_time ON processor_events (connection_id, received_at)',
  ]);
}
