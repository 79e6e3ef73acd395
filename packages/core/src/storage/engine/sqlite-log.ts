import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database } from 'better-sqlite3';
import { Unavailable } from '../../rejection.ts';
import { OutcomeUnknown } from './engine.ts';

const sync = promisify(fdatasync);

/**
 * The write-ahead log of a SQLite file, which a commit reaches the disk with. SQLite's own sync of it
 * (`synchronous=FULL`) stops the event loop for as long as the disk takes; this one leaves it free for the requests
 * that make up the next batch. All else that SQLite syncs, it still does itself (`synchronous=NORMAL`): the log before
 * a checkpoint, the file after it, and the head of a log that begins anew.
 *
 * The log is there, and stays the same file, as long as a connection is open. SQLite keeps no locks on it, so that
 * closing it here releases none.
 */
export class SqliteLog {
  readonly #database: Database;
  readonly #sync: (descriptor: number) => Promise<void>;
  #descriptor: number | null;
  #failure: unknown;

  /**
   * @param database has been read already: before that there may be no log
   * @param syncFile given for tests. @default fdatasync
   */
  constructor(database: Database, syncFile: (descriptor: number) => Promise<void> = sync) {
    this.#database = database;
    this.#sync = syncFile;
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
      await this.#sync(this.#descriptor);
    } catch (error) {
      this.#failure = error;
      throw new OutcomeUnknown(`The log of the SQLite database ${this.#database.name} could not be synced`, {
        cause: error,
      });
    }
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
