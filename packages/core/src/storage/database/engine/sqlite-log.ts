import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';
import { Unavailable } from '../../../rejection.ts';
import { OutcomeUnknown } from './engine.ts';

/** How a file is synced. Given for tests. */
export interface FileSync {
  /** Stops the event loop meanwhile. */
  here(descriptor: number): void;
  inThread(descriptor: number): Promise<void>;
  /** A clock that never goes back, in ms. */
  now(): number;
}

const FILE_SYNC: FileSync = {
  here: fdatasyncSync,
  inThread: promisify(fdatasync),
  now: () => performance.now(),
};

/**
 * For longer than this, on average, no sync is to stop the event loop. One in a thread takes about as long besides, where
 * all cores are busy, until the event loop hears of it.
 */
const SHORT_MS = 1;
/** Of how many syncs the average tells, about. */
const WINDOW = 8;
/** More than this does not count there: one sync that was very slow says little of the others. */
const MOST_MS = 2;
/** For so long syncs that were slow may have stopped the event loop, less a share of the time since. */
const MOST_STALLED_MS = 25;
const STALLED_SHARE = 0.05;
/** A disk that was slow is tried again so many times later as it took, but before a minute is over. */
const REST_RATIO = 1_000;
const MAX_REST_MS = 60_000;

/**
 * The write-ahead log of a SQLite file, which a commit reaches the disk with. SQLite's own sync of it
 * (`synchronous=FULL`) stops the event loop for as long as the disk takes. This one does so only as long as the disk is
 * quick; one that is slow is left to a thread, but for one sync now and then, so that the requests go on that make up the
 * next batch. All else that SQLite syncs, it still does itself (`synchronous=NORMAL`): the log before a checkpoint, the
 * file after it, and the head of a log that begins anew.
 *
 * The log is there, and stays the same file, as long as a connection is open. SQLite keeps no locks on it, so that
 * closing it here releases none.
 */
export class SqliteLog {
  readonly #database: Database;
  readonly #file: FileSync;
  #descriptor: number | null;
  #inThreadUntil = Number.NEGATIVE_INFINITY;
  /** Of the syncs here, since the disk was tried last. */
  #averageMs: number | null = null;
  #stalledMs = 0;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  /**
   * @param database has been read already: before that there may be no log
   * @param file @default fdatasync
   */
  constructor(database: Database, file: FileSync = FILE_SYNC) {
    this.#database = database;
    this.#file = file;
    this.#descriptor = database.memory ? null : openSync(`${fileOf(database)}-wal`, 'r+');
  }

  /** False after a sync that failed. */
  get isSound(): boolean {
    return this.#failure === undefined;
  }

  /** @throws Unavailable after a sync that failed */
  requireSound(): void {
    if (this.isSound) return;
    throw new Unavailable(
      `The disk did not keep what was written to the SQLite database ${this.#database.name}. Check it, then stop all processes that use it and start them anew`,
      { cause: this.#failure },
    );
  }

  /**
   * Fulfils once everything that is committed is on the disk.
   * @throws OutcomeUnknown when the disk fails. Nothing is written from then on: the system may have dropped what it
   *   could not write, and a further sync would succeed without it.
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
    const begin = this.#file.now();
    if (begin < this.#inThreadUntil) {
      await this.#file.inThread(descriptor);
      return;
    }
    this.#file.here(descriptor);
    const end = this.#file.now();
    const tookMs = end - begin;
    const countedMs = Math.min(tookMs, MOST_MS);
    this.#averageMs =
      this.#averageMs === null ? countedMs : this.#averageMs + (countedMs - this.#averageMs) / WINDOW;
    const forgivenMs = (begin - this.#lastEnd) * STALLED_SHARE;
    this.#stalledMs = Math.max(0, this.#stalledMs - forgivenMs) + Math.max(0, tookMs - SHORT_MS);
    this.#lastEnd = end;
    if (this.#averageMs <= SHORT_MS && this.#stalledMs <= MOST_STALLED_MS) return;
    this.#inThreadUntil = end + Math.min(tookMs * REST_RATIO, MAX_REST_MS);
    this.#averageMs = null;
    this.#stalledMs = 0;
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}

/** The file as SQLite found it: absolute, and behind symbolic links, where it keeps the log too. */
function fileOf(database: Database): string {
  const [main] = database.pragma('database_list') as { file: string }[];
  return main?.file ?? database.name;
}
