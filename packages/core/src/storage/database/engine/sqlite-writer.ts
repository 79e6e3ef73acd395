import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { Unavailable } from '../../../rejection.ts';
import type { SqliteClickStoreFactory } from '../click-store.ts';
import { explainFullDisk } from './disk-full.ts';
import { SLOTS, type Transaction } from './engine.ts';
import type { Writer } from './lane.ts';
import { sqliteKysely } from './sqlite-dialect.ts';
import type { SqliteLog } from './sqlite-log.ts';
import { StatementCache } from './statement-cache.ts';

const MAX_PAUSE_MS = 20;

export interface SqliteWriterOptions {
  readonly busyTimeoutMs: number;
  readonly createClickStore: SqliteClickStoreFactory;
}

/** The one connection of this process that writes to the file. */
export class SqliteWriter implements Writer {
  readonly #database: Database;
  readonly #log: SqliteLog;
  readonly #reader: Database | null;
  readonly #busyTimeoutMs: number;
  readonly #transaction: Transaction;
  /** Begin and end transactions, which would take longer to parse than to run. */
  readonly #control: StatementCache;

  /**
   * @param log of `database`, closed with the writer
   * @param reader closed with the writer
   * @param busyTimeoutMs how long other processes may hold the file's write lock
   */
  constructor(
    database: Database,
    log: SqliteLog,
    reader: Database | null,
    { busyTimeoutMs, createClickStore }: SqliteWriterOptions,
  ) {
    this.#database = database;
    this.#log = log;
    this.#reader = reader;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#control = new StatementCache(database);
    const statements = new StatementCache(database, () => this.#requireTransaction());
    const slot = process.pid % SLOTS;
    this.#transaction = {
      dialect: 'sqlite',
      db: sqliteKysely(async (query) => statements.run(query)),
      clicks: createClickStore(statements, slot),
      slot,
      savepoint: (step) => this.#savepoint(step),
    };
  }

  async transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#log.requireSound();
    await this.#begin();
    const result = await this.#end(() => body(this.#transaction), 'COMMIT', 'ROLLBACK');
    await this.#log.sync();
    return result;
  }

  async close(): Promise<void> {
    this.#log.close();
    // Last of all the connection that can fold the log into the file.
    this.#reader?.close();
    this.#database.close();
  }

  /**
   * SQLite's own wait for the lock stops the whole process, so it is kept short, and the event loop runs between the
   * tries.
   */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      try {
        this.#control.get('BEGIN IMMEDIATE').run();
        return;
      } catch (error) {
        if (!isBusy(error)) throw this.#explain(error);
        if (performance.now() >= deadline) {
          throw new Unavailable(
            `Another process has kept the database locked for ${this.#busyTimeoutMs} ms`,
            {
              cause: error,
            },
          );
        }
        await sleep(1 + Math.random() * MAX_PAUSE_MS);
      }
    }
  }

  async #savepoint<T>(step: () => Promise<T>): Promise<T> {
    this.#requireTransaction();
    this.#control.get('SAVEPOINT work').run();
    return await this.#end(step, 'RELEASE work', 'ROLLBACK TO work; RELEASE work');
  }

  /** Runs what was begun, and keeps or undoes it. */
  async #end<T>(step: () => Promise<T>, keep: string, undo: string): Promise<T> {
    try {
      const result = await step();
      this.#requireTransaction();
      this.#control.get(keep).run();
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec(undo);
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    return explainFullDisk(error, `the SQLite database ${this.#database.name}`);
  }

  /**
   * A full disk, an I/O error or `OR ROLLBACK` ends the whole transaction. Whatever ran after that would be stored at
   * once, each statement alone, and stored again when the batch is run again.
   */
  #requireTransaction(): void {
    if (!this.#database.inTransaction) throw new Error('SQLite has ended the transaction');
  }
}

/** Does another connection hold a lock? */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
