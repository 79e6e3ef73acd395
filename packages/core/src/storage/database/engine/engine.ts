import type { Kysely } from 'kysely';
import type { ClickStore } from '../click-store.ts';
import type { Dialect } from '../migrations/dialect.ts';
import type { Schema } from '../schema.ts';

/** The number of rows per counter. Each writer adds to one of the rows, and readers sum all of them. */
export const COUNTER_SLOTS = 16;

/**
 * Identifies a lane. Units of work in the same lane wait in the same write queue. The key is one of these values:
 *
 * - a number, usually a workspace id;
 * - `'clicks'`, for the clicks of all programs;
 * - a shard of a Citus cluster, for the clicks of its programs.
 */
export type LaneKey = number | 'clicks' | { readonly shard: number };

/** The transaction of a unit of work. It must not be used after the unit of work has settled. */
export interface Transaction {
  readonly dialect: Dialect;
  readonly db: Kysely<Schema>;
  /**
   * Whether the database is a Citus cluster. A statement that locks rows must then select the rows of only
   * one program, so that it runs on one worker; see `splitByProgram`.
   */
  readonly isCluster: boolean;
  /** The batched statements that record clicks. They run in this transaction. */
  readonly clicks: ClickStore;
  /** The slot number of the counter rows that this writer adds to, from 0 to `COUNTER_SLOTS - 1`. */
  readonly slot: number;
  /**
   * Runs `step` in a savepoint. If `step` fails, only the changes of `step` are rolled back, and the error is
   * rethrown.
   */
  savepoint<T>(step: () => Promise<T>): Promise<T>;
}

/** A connection to read from, and its dialect. */
export type Snapshot = Pick<Transaction, 'dialect' | 'db'>;

/**
 * A unit of work: a set of changes that must be committed together. It must wait only for its own statements
 * in the transaction, because other units of work wait for it. It must not have other effects, because it may
 * run more than once.
 */
export type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * A database with group commit. Writes that arrive during a commit share the next commit.
 *
 * The promise of `write` resolves only after the commit is durable. If it rejects, nothing of the write is
 * stored, unless the error is an `OutcomeUnknown`.
 */
export interface Engine {
  readonly dialect: Dialect;
  /**
   * The number of write queues for numeric lanes. Numeric lanes with the same remainder modulo this number share a
   * queue.
   */
  readonly lanes: number;
  /** Runs queries outside of transactions. They see only committed data. */
  readonly read: Kysely<Schema>;
  /** How old the data of `read` may be, in milliseconds. Undefined if the data is current. */
  dataAgeMs?(): number;
  /** The replica for lists, series and exports. Undefined if there is none. */
  readonly replica?: Replica | undefined;
  /**
   * Runs `body` on one snapshot. All queries see the data that was committed when the first query ran.
   * Writers are not blocked. An in-memory SQLite database is copied for the snapshot. `body` is never
   * retried.
   * @throws Unavailable when the engine is closed or the server can't be reached
   */
  snapshot<T>(body: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * The number of snapshots that may wait for clients at the same time. Each of them holds a read connection. More
   * could leave too few connections for other reads. Undefined if snapshots hold none of these connections.
   */
  readonly maxWaitingSnapshots?: number;
  /**
   * Runs a unit of work in a transaction, which other units of work of the same lane may share. Units of work
   * of one lane never run at the same time. On Postgres, units of work of different lanes run concurrently.
   * If `work` throws, only its own changes are rolled back.
   * @param lockKeys called when the transaction begins; returns the lanes to lock in all processes until the
   * commit. SQLite ignores this parameter, because only one process can write at a time. @default the lane itself
   * if it is a number, otherwise none
   * @param size returns the number of requests that the unit of work contains so far. @default 1
   * @throws Unavailable when the queue is full, the engine is closed or the server can't be reached
   * @throws OutcomeUnknown when the connection was lost during the commit and the outcome can't be determined
   */
  write<T>(lane: LaneKey, work: Work<T>, lockKeys?: () => readonly number[], size?: () => number): Promise<T>;
  /**
   * Runs a unit of work that takes long or alters tables. On Postgres, the work gets its own connection, so
   * other writes do not queue behind it. If another session is using a table that the work must lock, the work
   * is rolled back and retried.
   * @param onWait called before each retry
   * @throws Error that lists the blocking sessions, when a table can't be locked in time
   */
  maintain<T>(work: Work<T>, onWait?: (reason: Error) => void): Promise<T>;
  /**
   * Starts the next transaction of a lane immediately instead of waiting for more writes. Call it when a batch is full.
   * Thousands of requests can arrive in one turn of the event loop. The first ones would otherwise wait until the last
   * one is read.
   */
  flushNow(lane: LaneKey): void;
  /**
   * On a cluster, returns the shard that stores the clicks of a link. Clicks of different shards should be in
   * different batches. Returns null if the database is not a cluster, or if no link has the code. Returns
   * undefined if the shard is not known yet; `load` of a click store determines it.
   * @param codes the spellings under which the link directory may store the code
   */
  clickShardOf(codes: readonly string[]): number | null | undefined;
  /** The current load of this process's connections. */
  load?(): EngineLoad;
  /** Whether writes are possible. If false, the process must be restarted. */
  canWrite(): boolean;
  /**
   * Runs `work` in a transaction of its own, while no other process migrates the database. `work` changes the
   * schema. If the reply to the commit is lost, `work` runs again, so it must be idempotent.
   */
  changeSchema(work: (db: Kysely<Schema>) => Promise<void>): Promise<void>;
  /**
   * Applies all pending migrations. Several processes may call this at the same time.
   * @param onWait called when other sessions use a table that a migration must lock; the migration is then retried
   */
  migrate(onWait?: (reason: Error) => void): Promise<void>;
  /** Finishes all queued writes, then closes every connection. Repeated calls have no effect. */
  close(): Promise<void>;
}

/** The load of the connections of a process. */
interface EngineLoad {
  /** The number of units of work that wait for a transaction. A batch of clicks is one unit. */
  readonly queuedWrites: number;
  /** Undefined if reads use no pool. */
  readonly readPool?: { readonly used: number; readonly idle: number; readonly waiting: number };
}

/** Reads from a replica. The data may be some seconds old, so decisions must not depend on it. */
export interface Replica {
  /**
   * Runs queries on the replica. If the replica cannot be reached or is too far behind, they run on the
   * primary.
   */
  readonly read: Kysely<Schema>;
  /** Like `Engine.snapshot`, on the replica or the primary. */
  snapshot<T>(body: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** The maximum age of the data, in milliseconds. */
  readonly maxLagMs: number;
  state(): ReplicaState;
}

export interface ReplicaState {
  /**
   * `used` if reads go to the replica. With any other status, they go to the primary. `behind`: the replica is too far
   * behind. `away`: it cannot be reached. `not_a_replica`: the server is not a replica of the primary.
   */
  readonly status: 'used' | 'behind' | 'away' | 'not_a_replica';
  /** How far the replica is behind, in milliseconds. Null if unknown. */
  readonly lagMs: number | null;
  /** The number of reads that ran on each server. */
  readonly reads: { readonly replica: number; readonly primary: number };
}

/**
 * Thrown when it cannot be determined whether the transaction was committed. Either the disk failed, or the
 * connection to the server was lost during the commit and could not be restored in time. Before you retry the
 * write, check whether it was stored.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
