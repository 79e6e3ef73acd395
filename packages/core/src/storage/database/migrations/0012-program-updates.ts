import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/** Adds an index to find the changes of a program without reading all audit rows of the workspace. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE INDEX audit_log_program_updates ON audit_log (program_id, id) WHERE action = 'program.update'`,
  ]);
}
