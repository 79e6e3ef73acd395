import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';
import { Unavailable } from '../../../rejection.ts';
import { OutcomeUnknown } from './engine.ts';

/** The system calls of `SqliteLog`. Tests replace them. */
export interface FileSync {
  /** Syncs the file and blocks the event loop until it is done. */
  blocking(descriptor: number): void;
  /** Syncs the file in a thread of the pool. */
  inThread(descriptor: number): Promise<void>;
  /** A monotonic clock, in milliseconds. */
  now(): number;
}

const FILE_SYNC: FileSync = {
  blocking: fdatasyncSync,
  inThread: promisify(fdatasync),
  now: () => performance.now(),
};

/**
 * Blocking syncs are used while they take at most this long on average. When all cores are busy, handing a
 * sync to a thread and receiving its result takes about as long.
 */
const MAX_AVERAGE_MS = 1;
/** Weight of the moving average: roughly the number of recent syncs that it covers. */
const AVERAGE_WINDOW = 8;
/**
 * Upper limit of a sync duration in the average, because a single slow sync says little about the usual
 * duration.
 */
const MAX_SAMPLE_MS = 2;
/**
 * Limit of the accumulated stall: the time that blocking syncs took beyond `MAX_AVERAGE_MS` each. For every
 * millisecond that passes, the stall decreases by `STALL_RECOVERY_RATE` milliseconds.
 */
const MAX_STALL_MS = 25;
const STALL_RECOVERY_RATE = 0.05;
/**
 * After a switch to threads, the next blocking sync is tried after this many times the duration of the last sync.
 */
const THREAD_PERIOD_RATIO = 1_000;
const MAX_THREAD_PERIOD_MS = 60_000;

/**
 * Syncs the write-ahead log of a SQLite file, which makes commits durable.
 *
 * SQLite itself could do this (`synchronous=FULL`), but it would block the event loop for as long as the disk
 * takes. This class blocks only while the disk is fast. On a slow disk it syncs in a thread, so that the
 * event loop can receive the requests of the next batch meanwhile. From time to time it tries a blocking sync
 * again.
 *
 * SQLite still does all other syncs (`synchronous=NORMAL`): the log before a checkpoint, the database file
 * after it, and the header of a restarted log.
 *
 * While a connection is open, the log exists and is not replaced by another file. SQLite holds no POSIX locks on
 * it, so closing its descriptor here releases no lock.
 */
export class SqliteLog {
  readonly #database: Database;
  readonly #file: FileSync;
  #descriptor: number | null;
  #inThreadUntil = Number.NEGATIVE_INFINITY;
  /** Moving average of the blocking syncs since the last switch back to them; null before the first. */
  #averageMs: number | null = null;
  #stallMs = 0;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  /**
   * @param database an open database that has been read, because the log may not exist before the first read
   * @param file how to sync the file. @default fdatasync
   */
  constructor(database: Database, file: FileSync = FILE_SYNC) {
    this.#database = database;
    this.#file = file;
    this.#descriptor = database.memory ? null : openSync(`${fileOf(database)}-wal`, 'r+');
  }

  /** Whether writes are allowed. Permanently false once a sync has failed. */
  get isHealthy(): boolean {
    return this.#failure === undefined;
  }

  /** @throws Unavailable once a sync has failed */
  requireHealthy(): void {
    if (this.isHealthy) return;
    throw new Unavailable(
      `The disk failed to store a write to the SQLite database ${this.#database.name}. Check the disk, then stop all processes that use this database and start them again`,
      { cause: this.#failure },
    );
  }

  /**
   * Fulfills once all committed data is on the disk.
   * @throws OutcomeUnknown when the disk fails. No further writes are allowed after that: the operating
   *   system may have dropped the pages that it could not write, and another sync would succeed without them.
   */
  async sync(): Promise<void> {
    if (this.#descriptor === null) return;
    try {
      await this.#syncFile(this.#descriptor);
    } catch (error) {
      this.#failure = error;
      throw new OutcomeUnknown(`The log of the SQLite database ${this.#database.name} could not be synced`, {
        cause: error,
      });
    }
  }

  async #syncFile(descriptor: number): Promise<void> {
    const start = this.#file.now();
    if (start < this.#inThreadUntil) {
      await this.#file.inThread(descriptor);
      return;
    }
    this.#file.blocking(descriptor);
    const end = this.#file.now();
    const durationMs = end - start;
    const sampleMs = Math.min(durationMs, MAX_SAMPLE_MS);
    this.#averageMs =
      this.#averageMs === null ? sampleMs : this.#averageMs + (sampleMs - this.#averageMs) / AVERAGE_WINDOW;
    const recoveredMs = (start - this.#lastEnd) * STALL_RECOVERY_RATE;
    this.#stallMs = Math.max(0, this.#stallMs - recoveredMs) + Math.max(0, durationMs - MAX_AVERAGE_MS);
    this.#lastEnd = end;
    if (this.#averageMs <= MAX_AVERAGE_MS && this.#stallMs <= MAX_STALL_MS) return;
    this.#inThreadUntil = end + Math.min(durationMs * THREAD_PERIOD_RATIO, MAX_THREAD_PERIOD_MS);
    this.#averageMs = null;
    this.#stallMs = 0;
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}

/**
 * Returns the absolute path with symbolic links resolved, because SQLite creates the log next to that file.
 */
function fileOf(database: Database): string {
  const [main] = database.pragma('database_list') as { file: string }[];
  return main?.file ?? database.name;
}
