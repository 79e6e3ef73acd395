import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds settings that limit what a program records and pays, and the flag of commissions that wait for an
 * approval. Also adds the minimum amount that applied to a sale. It is unknown for existing sales.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `ALTER TABLE programs ADD COLUMN claimed_keys TEXT NOT NULL DEFAULT 'review'
      CHECK (claimed_keys IN ('review', 'pay'))`,
    'ALTER TABLE programs ADD COLUMN require_origin INT NOT NULL DEFAULT 0',
    'ALTER TABLE programs ADD COLUMN min_sale_cents INT NOT NULL DEFAULT 0 CHECK (min_sale_cents >= 0)',
    'ALTER TABLE sales ADD COLUMN min_sale_cents INT',
    'ALTER TABLE commissions ADD COLUMN needs_approval INT NOT NULL DEFAULT 0',
    'DROP INDEX commissions_on_hold',
    `CREATE INDEX commissions_on_hold ON commissions (releasable_at)
      WHERE status = 'pending' AND needs_approval = 0`,
    `CREATE INDEX commissions_in_review ON commissions (program_id, customer_id) WHERE needs_approval = 1`,
  ]);
}
