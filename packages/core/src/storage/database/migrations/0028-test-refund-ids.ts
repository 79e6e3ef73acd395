import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds the ids of refunds in test mode. Each id is stored once per sale. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    'ALTER TABLE test_refunds ADD COLUMN refund_id TEXT',
    `CREATE UNIQUE INDEX test_refunds_by_refund_id ON test_refunds (program_id, sale_id, refund_id)
      WHERE refund_id IS NOT NULL`,
  ]);
}
