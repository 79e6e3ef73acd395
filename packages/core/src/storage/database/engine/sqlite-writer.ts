import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { Unavailable } from '../../../rejection.ts';
import type { SqliteClickStoreFactory } from '../click-store.ts';
import { explainFullDisk } from './disk-full.ts';
import { COUNTER_SLOTS, type Transaction } from './engine.ts';
import type { Writer } from './lane.ts';
import { sqliteKysely } from './sqlite-dialect.ts';
import type { SqliteLog } from './sqlite-log.ts';
import { StatementCache } from './statement-cache.ts';

const MAX_BUSY_DELAY_MS = 20;

export interface SqliteWriterOptions {
  readonly busyTimeoutMs: number;
  readonly createClickStore: SqliteClickStoreFactory;
}

/** The only write connection of this process. */
export class SqliteWriter implements Writer {
  readonly #database: Database;
  readonly #log: SqliteLog;
  readonly #reader: Database | null;
  readonly #busyTimeoutMs: number;
  readonly #transaction: Transaction;
  /**
   * Statements such as BEGIN and COMMIT. They are prepared, because parsing them takes longer than running
   * them.
   */
  readonly #control: StatementCache;

  /**
   * @param log the log of `database`; closed by the writer
   * @param reader the read connection, if any; closed by the writer
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
    const slot = process.pid % COUNTER_SLOTS;
    this.#transaction = {
      dialect: 'sqlite',
      db: sqliteKysely(async (query) => statements.run(query)),
      clicks: createClickStore(statements, slot),
      slot,
      isCluster: false,
      savepoint: (step) => this.#savepoint(step),
    };
  }

  async transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#log.requireHealthy();
    await this.#begin();
    const result = await this.#end(() => body(this.#transaction), 'COMMIT', 'ROLLBACK');
    await this.#log.sync();
    return result;
  }

  async close(): Promise<void> {
    this.#log.close();
    // Close the write connection last, because only it can move the log into the database file.
    this.#reader?.close();
    this.#database.close();
  }

  /**
   * Begins a transaction. While another process holds the write lock, retries with a delay until `busyTimeoutMs` has
   * passed. SQLite itself waits for the lock only briefly, because it blocks the event loop while it waits.
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
            `Another process has held the write lock of ${this.#database.name} for ${this.#busyTimeoutMs} ms. ` +
              'Stop that process, or try again later',
            { cause: error },
          );
        }
        await sleep(1 + Math.random() * MAX_BUSY_DELAY_MS);
      }
    }
  }

  async #savepoint<T>(step: () => Promise<T>): Promise<T> {
    this.#requireTransaction();
    this.#control.get('SAVEPOINT work').run();
    return await this.#end(step, 'RELEASE work', 'ROLLBACK TO work; RELEASE work');
  }

  /** Runs `step`, then `commit` if it succeeds or `rollback` if it fails. */
  async #end<T>(step: () => Promise<T>, commit: string, rollback: string): Promise<T> {
    try {
      const result = await step();
      this.#requireTransaction();
      this.#control.get(commit).run();
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec(rollback);
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    return explainFullDisk(error, `the SQLite database ${this.#database.name}`);
  }

  /**
   * Throws if the transaction has ended. SQLite ends it after a full disk, an I/O error, or `OR ROLLBACK`.
   * Later statements would be committed immediately, and again when the batch is retried.
   */
  #requireTransaction(): void {
    if (!this.#database.inTransaction)
      throw new Error(
        'The transaction is no longer active: SQLite ended it after an error, or it was used after its end',
      );
  }
}

/** Whether the error means that another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
