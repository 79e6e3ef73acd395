import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** SQLite cannot drop a constraint on its own, but it can drop a column with its constraint. */
const amountOnSqlite = [
  'ALTER TABLE sales ADD COLUMN new_amount INT NOT NULL DEFAULT 0 CHECK (new_amount >= 0)',
  'UPDATE sales SET new_amount = amount_cents',
  'ALTER TABLE sales DROP COLUMN amount_cents',
  'ALTER TABLE sales RENAME COLUMN new_amount TO amount_cents',
];

const amountOnPostgres = [
  'ALTER TABLE sales DROP CONSTRAINT sales_check',
  'ALTER TABLE sales ADD CONSTRAINT sales_amount_check CHECK (amount_cents >= 0)',
];

const details = [
  `ALTER TABLE programs ADD COLUMN commission_base TEXT NOT NULL DEFAULT 'total'
    CHECK (commission_base IN ('total', 'net'))`,
  'ALTER TABLE sales ADD COLUMN tax_cents INT',
  'ALTER TABLE sales ADD COLUMN shipping_cents INT',
  'ALTER TABLE sales ADD COLUMN base_cents INT',
  'ALTER TABLE commissions ADD COLUMN parts TEXT',
  `CREATE TABLE pending_payments (
    connection_id INT NOT NULL, event_id TEXT NOT NULL, workspace_id INT NOT NULL, payment TEXT NOT NULL,
    event_at INT, due_at INT NOT NULL, PRIMARY KEY (connection_id, event_id),
    FOREIGN KEY (connection_id, event_id) REFERENCES processor_events (connection_id, event_id))`,
  'CREATE INDEX pending_payments_due ON pending_payments (due_at)',
];

/**
 * Allows sales of 0, for example after a 100% discount. Adds the tax and shipping of a sale, and the base of
 * its commission. These are unknown for existing sales. Also adds payments that wait for an event with more
 * details, and the parts of commissions that are computed with several policies.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const amount = dialect === 'sqlite' ? amountOnSqlite : amountOnPostgres;
  await runMigrationStatements(db, dialect, [...amount, ...details]);
}
