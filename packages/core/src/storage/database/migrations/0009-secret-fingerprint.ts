import type { Kysely } from 'kysely';
import { type Dialect, runDdl } from './dialect.ts';

/** By which a start tells that the service's secret is another than it was. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runDdl(db, dialect, [
    'CREATE TABLE secret_fingerprint (id INT PRIMARY KEY CHECK (id = 1), fingerprint TEXT NOT NULL)',
  ]);
}
