import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds tables that track the import of programs from other installations. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE program_imports (
      id ROW_ID, export_id TEXT NOT NULL UNIQUE, workspace_id INT NOT NULL, program_id INT NOT NULL,
      offsets TEXT NOT NULL, table_name TEXT, rows_done INT NOT NULL, started_at INT NOT NULL, finished_at INT)`,
    `CREATE TABLE program_import_partners (
      import_id INT NOT NULL, source_id INT NOT NULL, partner_id INT NOT NULL, PRIMARY KEY (import_id, source_id))`,
    'CREATE INDEX program_import_partners_by_partner ON program_import_partners (import_id, partner_id)',
  ]);
}
