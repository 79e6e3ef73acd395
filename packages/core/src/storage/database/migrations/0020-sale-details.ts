import type { Kysely } from 'kysely';
import { type Dialect, runDdl } from './dialect.ts';

/** SQLite cannot drop a constraint, but drops that of a column together with the column. */
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

/** Allows sales of 0, which a discount of the whole price makes. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runDdl(db, dialect, dialect === 'sqlite' ? amountOnSqlite : amountOnPostgres);
}
