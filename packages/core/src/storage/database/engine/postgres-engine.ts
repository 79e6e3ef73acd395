import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { Unavailable } from '../../../rejection.ts';
import type { PostgresClickStoreFactory } from '../click-store.ts';
import { prepareSchemaChange } from '../cluster/arrange.ts';
import { migrateCluster } from '../cluster/migrate-cluster.ts';
import { isLockTimeout, setLockTimeout, TableLocked } from '../migrations/lock-timeout.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Schema } from '../schema.ts';
import type { Engine, LaneKey } from './engine.ts';
import type { Execute } from './kysely.ts';
import { Lane } from './lane.ts';
import { Connector, connectionConfig, connectWithRetries } from './postgres-connector.ts';
import { CounterSlot } from './postgres-counter-slot.ts';
import { postgresKysely, toQueryResult } from './postgres-dialect.ts';
import { retryWhileLocked } from './postgres-migration.ts';
import { explainPooler, type PostgresPooler } from './postgres-pooler.ts';
import { PostgresReplica, type ReplicaOptions } from './postgres-replica.ts';
import { isStalePlan } from './postgres-session.ts';
import { PostgresWriter } from './postgres-writer.ts';
import { ReconnectPolicy } from './reconnect-policy.ts';
import { StatementNames } from './statement-names.ts';
import { isTransient } from './transient.ts';

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, with any query parameters that `pg` supports. For a Unix
   * socket, use `postgres:///database?host=/folder`. Percent-encode characters such as @ and # in the
   * password.
   */
  readonly connectionString: string;
  /**
   * The number of write connections. Clicks have an additional connection. All writes of a workspace use the
   * same connection.
   * @default 3
   */
  readonly lanes?: number;
  /**
   * `session` for a direct connection or a pooler in session mode. `transaction` for a pooler in transaction mode,
   * such as PgBouncer: statements then have no names, and settings apply to one transaction.
   * @default 'session'
   */
  readonly pooler?: PostgresPooler;
  /**
   * The URL of a streaming replica, for lists, series and exports. Decisions never depend on it.
   * @default none: all reads use `connectionString`
   */
  readonly readConnectionString?: string | undefined;
  /**
   * How far the replica may be behind, in milliseconds. If it is further behind, reads go to the primary.
   * @default 5000
   */
  readonly maxReplicaLagMs?: number;
  /** The maximum number of read connections to each server, at least 2. Exports use at most half. @default 8 */
  readonly maxReads?: number;
  /**
   * How long reads and writes wait for a server that cannot be reached, in milliseconds. The time starts with
   * the first failed attempt to connect. When it has passed, requests fail with `Unavailable` until an
   * attempt succeeds. If the password is wrong or the database is missing, requests fail immediately.
   * @default 5000
   */
  readonly reconnectTimeoutMs?: number;
  /**
   * How long to try to determine the outcome of a commit when its reply was lost with the connection, in
   * milliseconds. If the server answers in time, the write either succeeds or is retried. Otherwise, it fails
   * with `OutcomeUnknown`.
   * @default 60000
   */
  readonly commitOutcomeTimeoutMs?: number;
  /**
   * How long a migration waits for the lock of a table, in milliseconds. Other queries of that table wait
   * during this time. Then the migration is rolled back and tried again.
   * @default 2000
   */
  readonly migrationLockTimeoutMs?: number;
  /**
   * How long to retry a migration while other sessions use its tables, in milliseconds.
   * @default 60000
   */
  readonly migrationTimeoutMs?: number;
}

const MAX_QUEUED_WRITES = 20_000;
/** Must be less than 64, because Postgres caches 64 savepoints per transaction in shared memory. */
const MAX_BATCHED_WRITES = 50;
/** The number of connections for clicks on a Citus cluster. They are opened on first use. */
const SHARD_LANES = 4;
/** A read may be attempted once per connection of the pool, plus this number of times. */
const EXTRA_READ_ATTEMPTS = 3;
const REPLICA_QUERY_TIMEOUT_MS = 30_000;
/**
 * The timeout overrides the database's setting, which may be shorter. It is longer than the ten minutes for which an
 * export may wait for its client. All of this time can pass between two reads, because a page is sent in many chunks.
 */
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = '15min'`;
/** The key of the advisory lock that lets only one process at a time run migrations. */
const MIGRATION_LOCK = 0x61666b697401;

/**
 * Opens a Postgres database with `synchronous_commit=on`, so that the promise of `Engine.write` resolves only after the
 * commit is on the server's disk. The engine connects on first use and reconnects when a connection is lost.
 * @throws RangeError when `connectionString` is not a valid Postgres URL
 */
export function openPostgresEngine(
  options: PostgresOptions,
  createClickStore: PostgresClickStoreFactory,
  clickShardOf: Engine['clickShardOf'] = () => null,
): Engine {
  const config = connectionConfig(options.connectionString);
  const { pooler = 'session', maxReads = 8 } = options;
  const statements = new StatementNames(pooler);
  const slot = new CounterSlot();
  const { reconnectTimeoutMs = 5_000, commitOutcomeTimeoutMs = 60_000 } = options;
  const { migrationLockTimeoutMs: lockTimeoutMs = 2_000, migrationTimeoutMs = 60_000 } = options;
  const openLane = ({
    pipelining = false,
    storesCommitMarkers = true,
    maxBatchSize = MAX_BATCHED_WRITES,
  } = {}) => {
    const reconnectPolicy = new ReconnectPolicy(reconnectTimeoutMs);
    const writer = new PostgresWriter({
      createClickStore,
      connector: new Connector({ config, pipelining, pooler, slot, reconnectPolicy }),
      statements,
      slot,
      pooler,
      storesCommitMarkers,
      commitOutcomeTimeoutMs,
    });
    return new Lane(writer, { maxBatchSize, maxQueueSize: MAX_QUEUED_WRITES });
  };
  const clicks = openLane({ pipelining: true });
  const lanes = Array.from({ length: options.lanes ?? 3 }, () => openLane());
  // Do not batch units of work: each one is a statement that stores a batch of clicks in its own transaction.
  const shardLanes = Array.from({ length: SHARD_LANES }, () =>
    openLane({ pipelining: true, maxBatchSize: 1 }),
  );
  const writers = [clicks, ...shardLanes, ...lanes];
  const laneOf = (lane: LaneKey) => {
    if (lane === 'clicks') return clicks;
    return (
      (typeof lane === 'number' ? lanes[lane % lanes.length] : shardLanes[lane.shard % SHARD_LANES]) ?? clicks
    );
  };
  const pool = new pg.Pool({ ...config, max: maxReads, idleTimeoutMillis: 60_000 });
  const readerOptions = { pool, lost: trackLostConnections(pool), statements };
  const readPrimary = createReader({
    ...readerOptions,
    reconnectPolicy: new ReconnectPolicy(reconnectTimeoutMs),
  });
  const read = postgresKysely(readPrimary);
  const snapshot: Engine['snapshot'] = (body) =>
    readSnapshot(pool, statements, new ReconnectPolicy(reconnectTimeoutMs), body);
  const { readConnectionString } = options;
  const replica =
    readConnectionString === undefined
      ? undefined
      : openReplica(readConnectionString, options, { statements, readPrimary, snapshotOfPrimary: snapshot });
  let closing: Promise<void> | undefined;
  const changeSchema: Engine['changeSchema'] = async (work) => {
    if (closing) throw new Unavailable('The database is closed');
    const lane = openLane({ storesCommitMarkers: false });
    try {
      await lane.write(async ({ db }) => {
        await sql`SELECT pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(db);
        await work(db);
      });
    } finally {
      await lane.close();
    }
  };
  return {
    dialect: 'postgres',
    lanes: lanes.length,
    read,
    replica,
    snapshot,
    maxWaitingSnapshots: Math.max(1, Math.floor(maxReads / 2)),
    write: (lane, work, lockKeys = () => (typeof lane === 'number' ? [lane] : []), size) =>
      laneOf(lane).write(work, lockKeys, size),
    maintain: async (work, onWait) => {
      if (closing) throw new Unavailable('The database is closed');
      const lane = openLane();
      const run = () =>
        lane.write(async (tx) => {
          await setLockTimeout(tx.db, lockTimeoutMs);
          if (tx.isCluster) await prepareSchemaChange(tx.db);
          try {
            return await work(tx);
          } catch (error) {
            throw isLockTimeout(error) ? new TableLocked('The statement', error) : error;
          }
        });
      try {
        return await retryWhileLocked(run, read, { lockTimeoutMs, timeoutMs: migrationTimeoutMs, onWait });
      } finally {
        await lane.close();
      }
    },
    flushNow: (lane) => laneOf(lane).flushNow(),
    clickShardOf,
    load: () => ({
      queuedWrites: writers.reduce((sum, lane) => sum + lane.queueSize, 0),
      readPool: {
        used: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      },
    }),
    canWrite: () => true,
    changeSchema,
    migrate: (onWait) => {
      const run = () =>
        changeSchema((db) => migrateCluster(db, () => migrate(db, 'postgres', lockTimeoutMs)));
      return retryWhileLocked(run, read, { lockTimeoutMs, timeoutMs: migrationTimeoutMs, onWait });
    },
    close: () => {
      closing ??= Promise.all([replica?.close(), ...writers.map((lane) => lane.close())]).then(() =>
        pool.end(),
      );
      return closing;
    },
  };
}

function openReplica(
  connectionString: string,
  { maxReads = 8, maxReplicaLagMs = 5_000 }: Pick<PostgresOptions, 'maxReads' | 'maxReplicaLagMs'>,
  primary: Pick<ReplicaOptions, 'statements' | 'readPrimary' | 'snapshotOfPrimary'>,
): PostgresReplica {
  const pool = new pg.Pool({
    ...connectionConfig(connectionString),
    max: maxReads,
    idleTimeoutMillis: 60_000,
    // A read that exceeds this time is repeated on the primary.
    query_timeout: REPLICA_QUERY_TIMEOUT_MS,
  });
  trackLostConnections(pool);
  return new PostgresReplica({
    ...primary,
    pool,
    maxLagMs: maxReplicaLagMs,
    snapshotOfReplica: (body) => readSnapshot(pool, primary.statements, new ReconnectPolicy(0), body),
  });
}

async function readSnapshot<T>(
  pool: pg.Pool,
  statements: StatementNames,
  reconnectPolicy: ReconnectPolicy,
  body: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  if (pool.ending) throw new Unavailable('The database is closed');
  const client = await connectWithRetries(reconnectPolicy, pool.options, () => pool.connect());
  let isCommitted = false;
  try {
    await client.query(BEGIN_SNAPSHOT);
    const result = await body(
      postgresKysely(async ({ sql: text, parameters }) =>
        toQueryResult(await client.query(statements.prepare(text, parameters))),
      ),
    );
    await client.query('COMMIT');
    isCommitted = true;
    return result;
  } finally {
    client.release(!isCommitted);
  }
}

/**
 * Adds error listeners to the pool and to each new connection. Without a listener, the error of a lost
 * connection would end the process.
 * @returns the lost connections; the set grows when more connections are lost
 */
function trackLostConnections(pool: pg.Pool): WeakSet<pg.ClientBase> {
  const lost = new WeakSet<pg.ClientBase>();
  // The pool removes lost idle connections itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => void lost.add(client));
  });
  return lost;
}

interface ReaderOptions {
  readonly pool: pg.Pool;
  readonly lost: WeakSet<pg.ClientBase>;
  readonly statements: StatementNames;
  readonly reconnectPolicy: ReconnectPolicy;
}

/**
 * Returns a function that runs a query on the pool. If the connection is lost, the query is retried, because
 * reads are safe to repeat. When a server shuts down, all connections are lost, but the pool does not notice
 * this immediately. A read may therefore try every connection of the pool.
 */
function createReader({ pool, lost, statements, reconnectPolicy }: ReaderOptions): Execute {
  const maxAttempts = pool.options.max + EXTRA_READ_ATTEMPTS;
  return async ({ sql: text, parameters }) => {
    for (let attempt = 1; ; attempt++) {
      if (pool.ending) throw new Unavailable('The database is closed');
      const client = await connectWithRetries(reconnectPolicy, pool.options, () => pool.connect());
      try {
        const result = await client.query(statements.prepare(text, parameters));
        client.release();
        return toQueryResult(result);
      } catch (error) {
        client.release(true);
        // Check the error too. When a server shuts down, its error arrives before the connection is marked as lost.
        if (!lost.has(client) && !isTransient(error) && !isStalePlan(error)) throw explainPooler(error);
        if (attempt === maxAttempts) {
          throw new Unavailable(`The read failed in each of ${maxAttempts} attempts`, { cause: error });
        }
      }
    }
  };
}
