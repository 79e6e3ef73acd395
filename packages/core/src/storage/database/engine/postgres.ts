import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { Unavailable } from '../../../rejection.ts';
import type { PostgresClickStoreFactory } from '../click-store.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Schema } from '../schema.ts';
import type { Engine } from './engine.ts';
import type { Execute } from './kysely.ts';
import { Lane } from './lane.ts';
import { Connector, connectionConfig, connectWithRetries } from './postgres-connector.ts';
import { postgresKysely, StatementNames, toQueryResult } from './postgres-dialect.ts';
import { isStalePlan } from './postgres-session.ts';
import { Slot } from './postgres-slot.ts';
import { PostgresWriter } from './postgres-writer.ts';
import { ReconnectPolicy } from './reconnect-policy.ts';
import { isTransient } from './transient.ts';

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, with the parameters that `pg` knows; a socket is
   * `postgres:///database?host=/folder`. Characters such as @ and # in the password must be percent-encoded.
   */
  readonly connectionString: string;
  /** Connections that write, besides one for clicks; works of one workspace always share one. @default 3 */
  readonly lanes?: number;
  /** Most connections that read. @default 8 */
  readonly maxReads?: number;
  /** How long to wait for a server that is away, before reads and writes are refused, in ms. @default 5000 */
  readonly reconnectTimeoutMs?: number;
  /** How long to ask a server that was lost during a commit how that ended, in ms. @default 60000 */
  readonly commitOutcomeTimeoutMs?: number;
}

const MAX_QUEUE = 20_000;
/** More than 64 savepoints overflow what Postgres keeps of a transaction in shared memory. */
const MAX_WORKS = 50;
/** Of a read, besides one on each connection that may be lost. */
const FURTHER_TRIES = 3;
/** Key of the advisory lock that lets one process at a time migrate. */
const MIGRATION_LOCK = 0x61666b697401;

/**
 * Postgres with `synchronous_commit=on`: a commit has reached the server's disk before it is answered. Connects when
 * it is first used, and again when the connection was lost.
 * @throws RangeError when `connectionString` is no URL of Postgres
 */
export function openPostgresEngine(
  options: PostgresOptions,
  createClickStore: PostgresClickStoreFactory,
): Engine {
  const config = connectionConfig(options.connectionString);
  const statements = new StatementNames();
  const slot = new Slot();
  const { reconnectTimeoutMs: patienceMs = 5_000, commitOutcomeTimeoutMs: doubtMs = 60_000 } = options;
  const openLane = ({ pipelines = false, marksCommits = true } = {}) => {
    const connector = new Connector({ config, pipelines, slot, patience: new ReconnectPolicy(patienceMs) });
    const writer = new PostgresWriter({
      createClickStore,
      connector,
      statements,
      slot,
      marksCommits,
      commitOutcomeTimeoutMs: doubtMs,
    });
    return new Lane(writer, { maxWorks: MAX_WORKS, maxQueue: MAX_QUEUE });
  };
  const clicks = openLane({ pipelines: true });
  const lanes = Array.from({ length: options.lanes ?? 3 }, () => openLane());
  const laneOf = (lane: number | 'clicks') =>
    lane === 'clicks' ? clicks : (lanes[lane % lanes.length] ?? clicks);
  const pool = new pg.Pool({ ...config, max: options.maxReads ?? 8, idleTimeoutMillis: 60_000 });
  const lost = listenForLosses(pool);
  let closing: Promise<void> | undefined;
  return {
    dialect: 'postgres',
    lanes: lanes.length,
    read: postgresKysely(readBy({ pool, lost, statements, patience: new ReconnectPolicy(patienceMs) })),
    snapshot: (look) => readSnapshot(pool, statements, new ReconnectPolicy(patienceMs), look),
    write: (lane, work, touched = () => (lane === 'clicks' ? [] : [lane]), size) =>
      laneOf(lane).write(work, touched, size),
    flushNow: (lane) => laneOf(lane).flushNow(),
    canWrite: () => true,
    migrate: async () => {
      if (closing) throw new Unavailable('The database is closed');
      const lane = openLane({ marksCommits: false });
      try {
        await lane.write(async (tx) => {
          await sql`SELECT pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx.db);
          await migrate(tx.db, 'postgres');
        });
      } finally {
        await lane.close();
      }
    },
    close: () => {
      closing ??= Promise.all([clicks, ...lanes].map((lane) => lane.close())).then(() => pool.end());
      return closing;
    },
  };
}

async function readSnapshot<T>(
  pool: pg.Pool,
  statements: StatementNames,
  patience: ReconnectPolicy,
  look: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  if (pool.ending) throw new Unavailable('The database is closed');
  const client = await connectWithRetries(patience, pool.options, () => pool.connect());
  let isDone = false;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const result = await look(
      postgresKysely(async ({ sql: text, parameters }) =>
        toQueryResult(await client.query(statements.prepare(text, parameters))),
      ),
    );
    await client.query('COMMIT');
    isDone = true;
    return result;
  } finally {
    client.release(!isDone);
  }
}

/**
 * A connection that breaks must be heard by somebody from its first moment on: else its error ends the process.
 * @returns the connections of the pool that are lost
 */
function listenForLosses(pool: pg.Pool): WeakSet<pg.ClientBase> {
  const lost = new WeakSet<pg.ClientBase>();
  // An idle connection that breaks leaves the pool by itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => void lost.add(client));
  });
  return lost;
}

interface Reading {
  readonly pool: pg.Pool;
  readonly lost: WeakSet<pg.ClientBase>;
  readonly statements: StatementNames;
  readonly patience: ReconnectPolicy;
}

/**
 * A read does no harm when it is run again, so it survives the loss of its connection. A server that ends takes its
 * connections down one after the other, and each may be tried before it is known that it is lost.
 */
function readBy({ pool, lost, statements, patience }: Reading): Execute {
  const tries = pool.options.max + FURTHER_TRIES;
  return async ({ sql: text, parameters }) => {
    for (let attempt = 1; ; attempt++) {
      if (pool.ending) throw new Unavailable('The database is closed');
      const client = await connectWithRetries(patience, pool.options, () => pool.connect());
      try {
        const answer = await client.query(statements.prepare(text, parameters));
        client.release();
        return toQueryResult(answer);
      } catch (error) {
        client.release(true);
        // What the server says as it ends comes before the connection is known to be lost.
        if (!lost.has(client) && !isTransient(error) && !isStalePlan(error)) throw error;
        if (attempt === tries) throw new Unavailable('Postgres ends each read', { cause: error });
      }
    }
  };
}
