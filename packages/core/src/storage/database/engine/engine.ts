import type { Kysely } from 'kysely';
import type { ClickStore } from '../click-store.ts';
import type { Dialect } from '../migrations/dialect.ts';
import type { Schema } from '../schema.ts';

/** Rows of each counter: a writer adds to one of them, and readers sum all. */
export const SLOTS = 16;

/** What one atomic unit of work may touch. Valid only until the work settles. */
export interface Transaction {
  readonly dialect: Dialect;
  readonly db: Kysely<Schema>;
  /** Set statements of the click path, in the same transaction. */
  readonly clicks: ClickStore;
  /** Which of the `SLOTS` rows of a counter this writer adds to. */
  readonly slot: number;
  /** Runs `step` so that its failure undoes `step` alone; the error is thrown on. */
  savepoint<T>(step: () => Promise<T>): Promise<T>;
}

/** Work that touches nothing but the transaction and waits for nothing else; it may be run again. */
export type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * A database that commits in groups: what arrives while a commit is under way goes into the next one.
 * A promise of `write` fulfils only after a commit that the database itself has made durable, and rejects only
 * when nothing of the work is stored, or with `OutcomeUnknown`.
 */
export interface Engine {
  readonly dialect: Dialect;
  /** How many queues of works there are: lanes that leave the same remainder share one. */
  readonly lanes: number;
  /** Committed data only. */
  readonly read: Kysely<Schema>;
  /**
   * Runs `look` on one snapshot: all its queries see what was committed by the time of the first, while others go on
   * writing. Only a SQLite database in memory holds up its writers meanwhile. It is not run again.
   * @throws Unavailable when the engine is closed or the server can't be reached
   */
  snapshot<T>(look: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /**
   * Runs `work` strictly alone within its lane, in a transaction shared with its neighbours. All works of one
   * `lane` (a workspace's id, or `'clicks'`) follow each other; different lanes may run at once on Postgres.
   * A work that throws leaves no trace and does not disturb its neighbours.
   * @param touched lanes whose other works are to wait for this one, in other processes too; asked when it begins.
   *   @default the lane itself
   * @param size how many requests it answers, as far as is known before it begins. @default 1
   * @throws Unavailable when the queue is full, the engine is closed or the server can't be reached
   * @throws OutcomeUnknown when the server was lost during the commit and did not come back
   */
  write<T>(
    lane: number | 'clicks',
    work: Work<T>,
    touched?: () => readonly number[],
    size?: () => number,
  ): Promise<T>;
  /**
   * Has a lane begin with what waits there, without a look for more: in one turn of the event loop thousands of requests
   * can come in, and those that are read first would wait for the last.
   */
  flushNow(lane: number | 'clicks'): void;
  /** False once nothing more can be written until the process is started anew. */
  canWrite(): boolean;
  /** Brings the schema up to date; safe when several processes start at once. */
  migrate(): Promise<void>;
  /** Waits for what is queued, then closes every connection. Idempotent. */
  close(): Promise<void>;
}

/**
 * The connection broke during a commit, and the server stayed away too long to learn how the commit ended: the
 * write may be stored or not. It must not be repeated unseen.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
