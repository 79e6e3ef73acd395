import type { Kysely } from 'kysely';
import type { ClickStore } from '../click-store.ts';
import type { Dialect } from '../migrations/dialect.ts';
import type { Schema } from '../schema.ts';

/** Number of rows per counter. Each writer adds to one of these rows, and readers sum all of them. */
export const COUNTER_SLOTS = 16;

/** The transaction in which a unit of work runs. It must not be used after the unit of work has settled. */
export interface Transaction {
  readonly dialect: Dialect;
  readonly db: Kysely<Schema>;
  /** The batched statements that record clicks. They run in the same transaction. */
  readonly clicks: ClickStore;
  /** The counter row, from 0 to `COUNTER_SLOTS - 1`, that this writer adds to. */
  readonly slot: number;
  /**
   * Runs `step` in a savepoint. If `step` fails, only its own changes are rolled back, and its error is
   * rethrown.
   */
  savepoint<T>(step: () => Promise<T>): Promise<T>;
}

/**
 * A unit of work: everything that must be committed together. It must not wait for anything but the
 * transaction, because other units of work wait for it. It may run more than once, so it must have no other
 * effects.
 */
export type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * A database with group commit: writes that arrive while a commit is in progress share the next commit.
 *
 * The promise that `write` returns fulfills only after the database has made the commit durable. It rejects
 * only when nothing of the write is stored, or with `OutcomeUnknown`.
 */
export interface Engine {
  readonly dialect: Dialect;
  /** Number of write queues. Lanes with the same remainder modulo this number share a queue. */
  readonly lanes: number;
  /** Runs queries outside of transactions. They see committed data only. */
  readonly read: Kysely<Schema>;
  /**
   * Runs `body` on one snapshot. All of its queries see the data that was committed when the first one ran.
   * Writers are not blocked. An in-memory SQLite database is copied for it. `body` is not retried.
   * @throws Unavailable when the engine is closed or the server can't be reached
   */
  snapshot<T>(body: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Runs a unit of work in a transaction that it may share with other units of work of its lane. Units of work of
   * one lane never run at the same time. On Postgres, different lanes run concurrently. If `work` throws, only
   * its own changes are rolled back.
   * @param lane a number, usually a workspace id, or `'clicks'`
   * @param lockKeys returns the lanes to lock in all processes until the commit. It is called when the
   *   transaction begins. SQLite ignores it, because only one process can write at a time. @default the lane
   *   itself; none for `'clicks'`
   * @param size returns the number of requests that this unit of work answers so far. @default 1
   * @throws Unavailable when the queue is full, the engine is closed or the server can't be reached
   * @throws OutcomeUnknown when the connection was lost during the commit and the outcome can't be determined
   */
  write<T>(
    lane: number | 'clicks',
    work: Work<T>,
    lockKeys?: () => readonly number[],
    size?: () => number,
  ): Promise<T>;
  /**
   * Starts the next transaction of a lane immediately instead of waiting for more writes to arrive. One turn
   * of the event loop can bring thousands of requests, and the first request would otherwise wait until the
   * last is read.
   */
  flushNow(lane: number | 'clicks'): void;
  /**
   * Whether writes are possible. After `false`, only a restart of the process can make them possible again.
   */
  canWrite(): boolean;
  /** Applies all pending migrations. Several processes may call this at the same time. */
  migrate(): Promise<void>;
  /** Finishes all queued writes, then closes every connection. Calling it again has no further effect. */
  close(): Promise<void>;
}

/**
 * The commit may or may not have been stored, and there is no way to find out: either the connection to the
 * server was lost during the commit and could not be restored in time, or the disk failed. A caller must not
 * retry the write without checking whether it was stored.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
