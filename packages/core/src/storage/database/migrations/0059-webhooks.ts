import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds webhook endpoints, the events of programs, and the deliveries of these events to endpoints. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE programs ADD COLUMN webhook_events TEXT',
    `CREATE TABLE webhook_endpoints (
      id ROW_ID, workspace_id INT NOT NULL, program_id INT NOT NULL,
      url TEXT NOT NULL, description TEXT, event_types TEXT NOT NULL,
      sealed_secret TEXT NOT NULL, previous_secret TEXT, previous_until INT,
      paused_at INT, pause_reason TEXT CHECK (pause_reason IN ('user', 'gone')),
      failures INT NOT NULL DEFAULT 0, blocked_until INT NOT NULL DEFAULT 0,
      lease INT NOT NULL DEFAULT 0, leased_until INT NOT NULL DEFAULT 0,
      last_success_at INT, last_failure_at INT, created_at INT NOT NULL, deleted_at INT)`,
    'CREATE INDEX webhook_endpoints_of_program ON webhook_endpoints (program_id, id) WHERE deleted_at IS NULL',
    `CREATE INDEX webhook_endpoints_active ON webhook_endpoints (leased_until)
      WHERE deleted_at IS NULL AND paused_at IS NULL`,
    `CREATE TABLE webhook_events (
      id ROW_ID, program_id INT NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, dedupe_key TEXT,
      created_at INT NOT NULL)`,
    'CREATE INDEX webhook_events_by_age ON webhook_events (created_at)',
    `CREATE UNIQUE INDEX webhook_events_once ON webhook_events (program_id, dedupe_key)
      WHERE dedupe_key IS NOT NULL`,
    `CREATE TABLE webhook_deliveries (
      id ROW_ID, endpoint_id INT NOT NULL, event_id INT NOT NULL, event_type TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('queued', 'succeeded', 'failed')),
      attempts INT NOT NULL DEFAULT 0, first_attempt INT NOT NULL DEFAULT 0, run_at INT, expires_at INT NOT NULL,
      last_status INT, last_error TEXT, created_at INT NOT NULL, finished_at INT)`,
    'CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, run_at, id) WHERE run_at IS NOT NULL',
    'CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (endpoint_id, id)',
    'CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at)',
    'CREATE INDEX webhook_deliveries_expiring ON webhook_deliveries (expires_at) WHERE run_at IS NOT NULL',
    `CREATE TABLE webhook_attempts (
      id ROW_ID, delivery_id INT NOT NULL, attempt INT NOT NULL, attempted_at INT NOT NULL,
      duration_ms INT NOT NULL, request_headers TEXT NOT NULL, status INT, response_headers TEXT,
      response_body TEXT, error TEXT)`,
    'CREATE INDEX webhook_attempts_of_delivery ON webhook_attempts (delivery_id, id)',
    'CREATE INDEX webhook_attempts_by_age ON webhook_attempts (attempted_at)',
  ]);
}
