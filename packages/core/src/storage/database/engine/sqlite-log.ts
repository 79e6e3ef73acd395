import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';
import { Unavailable } from '../../../rejection.ts';
import { OutcomeUnknown } from './engine.ts';

/** The system calls of `SqliteLog`. They can be replaced in tests. */
export interface FileSync {
  /** Syncs the file and blocks the event loop until the sync ends. */
  blocking(descriptor: number): void;
  /** Syncs the file in a thread of Node's thread pool. */
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
 * As long as a sync takes at most this time on average, the log is synced in the event loop. When all cores are busy, a
 * sync in a thread has about this much overhead.
 */
const MAX_AVERAGE_MS = 1;
/** The moving average covers roughly this number of recent syncs. */
const AVERAGE_WINDOW = 8;
/** A longer sync counts as this long in the average, because a single slow sync is not representative. */
const MAX_SAMPLE_MS = 2;
/**
 * The limit of the accumulated stall. The stall is the time that blocking syncs took in excess of `MAX_AVERAGE_MS`. It
 * decreases by `STALL_RECOVERY_RATE` milliseconds per millisecond.
 */
const MAX_STALL_MS = 25;
const STALL_RECOVERY_RATE = 0.05;
/**
 * When the average or the stall exceeds its limit, the next syncs run in threads. This lasts for the duration of the
 * last blocking sync times this factor.
 */
const THREAD_PERIOD_RATIO = 1_000;
const MAX_THREAD_PERIOD_MS = 60_000;

/**
 * Syncs the write-ahead log of a SQLite file, so that commits are durable.
 *
 * SQLite itself could do this (`synchronous=FULL`), but it would always block the event loop during a sync.
 * This class blocks the event loop only if the disk is fast. If the disk is slow, it syncs in a thread, and the event
 * loop can receive the requests of the next batch. From time to time, it tries a blocking sync again.
 *
 * SQLite does all other syncs itself (`synchronous=NORMAL`): the log before a checkpoint, the database file
 * after a checkpoint, and the header of a restarted log.
 *
 * The descriptor of the log file stays valid, because SQLite never deletes or replaces the log while a
 * connection is open. Closing the descriptor releases no lock, because SQLite holds no POSIX locks on the log.
 */
export class SqliteLog {
  readonly #database: Database;
  readonly #file: FileSync;
  #descriptor: number | null;
  #inThreadUntil = Number.NEGATIVE_INFINITY;
  /**
   * The moving average of the durations of blocking syncs since the last switch to blocking syncs. Null before the
   * first of these syncs.
   */
  #averageMs: number | null = null;
  #stallMs = 0;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  /**
   * @param database an open database that was read at least once; before the first read, the log may not exist
   * @param file how to sync the log, with a clock. @default fdatasync
   */
  constructor(database: Database, file: FileSync = FILE_SYNC) {
    this.#database = database;
    this.#file = file;
    this.#descriptor = database.memory ? null : openSync(`${fileOf(database)}-wal`, 'r+');
  }

  /** Whether writes are allowed. Always false after a failed sync. */
  get isHealthy(): boolean {
    return this.#failure === undefined;
  }

  /** @throws Unavailable after a failed sync */
  requireHealthy(): void {
    if (this.isHealthy) return;
    throw new Unavailable(
      `The disk failed to store a write to the SQLite database ${this.#database.name}. Check the disk, then stop all processes that use this database and start them again`,
      { cause: this.#failure },
    );
  }

  /**
   * The promise resolves when all committed data is on the disk.
   * @throws OutcomeUnknown when the disk fails. No writes are allowed from then on. The operating system may
   * have dropped the pages that it could not write, so another sync could succeed although these pages are lost.
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
 * Returns the absolute path of the database file. Symbolic links are resolved, because SQLite creates the log
 * next to the real file.
 */
function fileOf(database: Database): string {
  const [main] = database.pragma('database_list') as { file: string }[];
  return main?.file ?? database.name;
}
