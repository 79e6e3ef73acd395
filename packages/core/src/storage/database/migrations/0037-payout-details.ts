import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds the payout details of partners. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE payout_details (
      partner_id INT NOT NULL PRIMARY KEY REFERENCES partners (id), workspace_id INT NOT NULL, method TEXT NOT NULL,
      currency TEXT, sealed TEXT NOT NULL, updated_at INT NOT NULL)`,
  ]);
}
