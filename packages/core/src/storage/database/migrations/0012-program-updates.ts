import type { Kysely } from 'kysely';
import { type Dialect, runDdl } from './dialect.ts';

/** By which the changes of a program are found without a look at all that its workspace did. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runDdl(db, dialect, [
    `CREATE INDEX audit_log_program_updates ON audit_log (program_id, id) WHERE action = 'program.update'`,
  ]);
}
