import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

const connections = [
  `CREATE TABLE processor_connections (
    id ROW_ID, workspace_id INT NOT NULL REFERENCES workspaces (id),
    processor TEXT NOT NULL CHECK (processor IN ('stripe')), account_id TEXT NOT NULL, webhook_secret TEXT NOT NULL,
    previous_secret TEXT, previous_until INT, charges_enabled INT NOT NULL, payouts_enabled INT NOT NULL,
    details_submitted INT NOT NULL, connected_at INT, disconnected_at INT, created_at INT NOT NULL)`,
  'CREATE INDEX processor_connections_by_workspace ON processor_connections (workspace_id, id)',
];

const events = [
  `CREATE TABLE processor_events (
    connection_id INT NOT NULL REFERENCES processor_connections (id), event_id TEXT NOT NULL,
    workspace_id INT NOT NULL, type TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT, program_id INT, sale_id INT,
    click_id TEXT, customer_key TEXT, event_at INT NOT NULL, received_at INT NOT NULL,
    PRIMARY KEY (connection_id, event_id))`,
  'CREATE INDEX processor_events_by_sale ON processor_events (program_id, sale_id) WHERE sale_id IS NOT NULL',
  'CREATE INDEX processor_events_by_click ON processor_events (program_id, click_id) WHERE click_id IS NOT NULL',
  `CREATE INDEX processor_events_by_key ON processor_events (program_id, customer_key)
    WHERE customer_key IS NOT NULL`,
  `CREATE TABLE processor_event_refs (
    workspace_id INT NOT NULL, ref TEXT NOT NULL, connection_id INT NOT NULL, event_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, ref, connection_id, event_id),
    FOREIGN KEY (connection_id, event_id) REFERENCES processor_events (connection_id, event_id))`,
];

const payments = [
  `CREATE TABLE processor_ties (
    workspace_id INT NOT NULL, ref TEXT NOT NULL, other TEXT NOT NULL, PRIMARY KEY (workspace_id, ref, other))`,
  `CREATE TABLE processor_charges (
    workspace_id INT NOT NULL, charge TEXT NOT NULL, program_id INT, sale_id INT, currency TEXT NOT NULL,
    refunded_cents INT NOT NULL CHECK (refunded_cents >= 0), is_whole INT NOT NULL, reason TEXT,
    refunded_at INT NOT NULL, settled_cents INT NOT NULL DEFAULT 0, deducted_cents INT NOT NULL DEFAULT 0,
    parked_at INT NOT NULL, check_at INT, PRIMARY KEY (workspace_id, charge),
    FOREIGN KEY (program_id, sale_id) REFERENCES sales (program_id, id))`,
  'CREATE INDEX processor_refs_by_sale ON processor_refs (program_id, sale_id)',
  'CREATE INDEX refunds_by_sale ON refunds (program_id, sale_id)',
  'CREATE INDEX processor_charges_by_sale ON processor_charges (program_id, sale_id)',
  'CREATE INDEX processor_charges_due ON processor_charges (check_at) WHERE check_at IS NOT NULL',
  'CREATE INDEX processor_charges_parked ON processor_charges (program_id) WHERE sale_id IS NULL',
];

/** Adds connections to payment processors, and the decisions about their webhook events. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [...connections, ...events, ...payments]);
}
