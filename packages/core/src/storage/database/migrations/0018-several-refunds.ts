import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Allows several refunds per sale. A refund can have an id. If a refund fails, its deduction is credited back.
 * The table is recreated, because SQLite cannot drop a constraint.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE refunds RENAME TO single_refunds',
    'DROP INDEX refunds_by_sale',
    `CREATE TABLE refunds (
      program_id INT NOT NULL, id ID, sale_id INT NOT NULL, commission_id INT NOT NULL,
      source TEXT NOT NULL CHECK (source IN ('api', 'processor')), refund_id TEXT, refund_amount_cents INT,
      applied_cents INT NOT NULL, deduction_cents INT NOT NULL, status TEXT NOT NULL, reason TEXT,
      refund_at INT NOT NULL, created_at INT NOT NULL, LEAF_KEY,
      FOREIGN KEY (program_id, commission_id) REFERENCES commissions (program_id, id))`,
    `INSERT INTO refunds (program_id, id, sale_id, commission_id, source, refund_amount_cents, applied_cents,
      deduction_cents, status, reason, refund_at, created_at)
    SELECT r.program_id, r.id, r.sale_id, r.commission_id,
      CASE WHEN EXISTS (SELECT 1 FROM processor_charges p WHERE p.program_id = r.program_id
        AND p.sale_id = r.sale_id AND p.deducted_cents > 0) THEN 'processor' ELSE 'api' END,
      r.refund_amount_cents, COALESCE(r.refund_amount_cents, s.amount_cents), r.deduction_cents,
      CASE WHEN r.refund_amount_cents IS NULL THEN 'reversed' ELSE 'refunded' END, r.reason, r.refund_at,
      r.created_at
    FROM single_refunds r JOIN sales s ON s.program_id = r.program_id AND s.id = r.sale_id`,
    ...(dialect === 'postgres'
      ? [
          `SELECT setval(pg_get_serial_sequence('refunds', 'id'), COALESCE(MAX(id), 0) + 1, false) FROM refunds`,
        ]
      : []),
    // Earlier versions ignored all refunds of a charge after the first. These refunds now count toward the
    // refunded total, but deduct nothing.
    `INSERT INTO refunds (program_id, sale_id, commission_id, source, applied_cents, refund_amount_cents,
      deduction_cents, status, reason, refund_at, created_at)
    SELECT program_id, sale_id, commission_id, 'processor', skipped_cents, skipped_cents, 0, status, NULL,
      refunded_at, created_at
    FROM (SELECT r.program_id, r.sale_id, r.commission_id, r.status, r.created_at, p.refunded_at,
        CASE WHEN p.cents < s.amount_cents - r.applied_cents THEN p.cents
          ELSE s.amount_cents - r.applied_cents END AS skipped_cents
      FROM refunds r JOIN sales s ON s.program_id = r.program_id AND s.id = r.sale_id
      JOIN (SELECT program_id, sale_id, MAX(currency) AS currency, MAX(refunded_at) AS refunded_at,
          SUM(settled_cents - deducted_cents - matched_cents) AS cents
        FROM processor_charges WHERE sale_id IS NOT NULL GROUP BY program_id, sale_id) p
      ON p.program_id = r.program_id AND p.sale_id = r.sale_id AND p.currency = s.currency) AS skipped
    WHERE skipped_cents > 0`,
    'DROP TABLE single_refunds',
    'CREATE INDEX refunds_by_sale ON refunds (program_id, sale_id)',
    'CREATE INDEX refunds_by_commission ON refunds (program_id, commission_id)',
    `CREATE UNIQUE INDEX refunds_by_refund_id ON refunds (program_id, sale_id, refund_id)
      WHERE refund_id IS NOT NULL AND applied_cents >= 0`,
    'ALTER TABLE processor_charges DROP COLUMN settled_cents',
    'ALTER TABLE processor_charges DROP COLUMN deducted_cents',
    'ALTER TABLE processor_charges DROP COLUMN matched_cents',
    `CREATE TABLE processor_refunds (
      workspace_id INT NOT NULL, refund TEXT NOT NULL, charge TEXT NOT NULL, currency TEXT NOT NULL,
      amount_cents INT NOT NULL CHECK (amount_cents >= 0), is_failed INT NOT NULL, PRIMARY KEY (workspace_id, refund),
      FOREIGN KEY (workspace_id, charge) REFERENCES processor_charges (workspace_id, charge))`,
    'CREATE INDEX processor_refunds_by_charge ON processor_refunds (workspace_id, charge)',
  ]);
}
