import type { Engine } from './database/engine/engine.ts';
import { openPostgresEngine, type PostgresOptions } from './database/engine/postgres.ts';
import { PostgresClickStore } from './tracking/clicks-postgres.ts';

export type { PostgresOptions } from './database/engine/postgres.ts';

/**
 * Opens a Postgres database with `synchronous_commit=on`, so a commit reaches the server's disk before its
 * reply is sent. It connects on first use, and reconnects after a lost connection.
 * @throws RangeError when `connectionString` is not a valid Postgres URL
 */
export function postgresEngine(options: PostgresOptions): Engine {
  return openPostgresEngine(options, (session) => new PostgresClickStore(session));
}
