import type { Engine } from './database/engine/engine.ts';
import { openPostgresEngine, type PostgresOptions } from './database/engine/postgres-engine.ts';
import { ClickShards } from './tracking/click-shards.ts';
import { PostgresClickStore } from './tracking/clicks-postgres.ts';

export type { PostgresOptions } from './database/engine/postgres-engine.ts';

/**
 * Opens a Postgres database with `synchronous_commit=on`, so that the promise of `Engine.write` resolves only after the
 * commit is on the server's disk. The engine connects on first use and reconnects when a connection is lost.
 * @throws RangeError when `connectionString` is not a valid Postgres URL
 */
export function postgresEngine(options: PostgresOptions): Engine {
  const shards = new ClickShards();
  return openPostgresEngine(
    options,
    (session) => new PostgresClickStore(session, shards),
    (codes) => shards.shardOfCodes(codes),
  );
}
