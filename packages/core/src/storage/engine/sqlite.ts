import BetterSqlite3, { type Database } from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { SqliteClickStore } from '../clicks-sqlite.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Schema } from '../schema.ts';
import type { Engine, Transaction } from './engine.ts';
import { Lane, type Writer } from './lane.ts';
import { StatementCache, sqliteKysely } from './sqlite-dialect.ts';

export interface SqliteOptions {
  /** The database file, made when missing; or `:memory:`. */
  readonly path: string;
}

const BUSY_TIMEOUT_MS = 10_000;
const MAX_QUEUE = 20_000;
const MAX_WORKS = 200;
const SLOTS = 16;

/**
 * SQLite in WAL mode with `synchronous=FULL`: a commit has reached the disk before it is answered. One writer, in
 * groups; reads have a read-only connection of their own, for on the writer's they would see what is not committed.
 * @throws the driver's error when the file can't be opened
 */
export function sqliteEngine(options: SqliteOptions): Engine {
  const database = new BetterSqlite3(options.path, { timeout: BUSY_TIMEOUT_MS });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  const lane = new Lane(new SqliteWriter(database), { maxWorks: MAX_WORKS, maxQueue: MAX_QUEUE });
  // The path may name no database of a file: those can't be opened twice.
  const reader = database.memory
    ? null
    : new BetterSqlite3(options.path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  const statements = reader && new StatementCache(reader);
  const read = statements
    ? sqliteKysely(async (query) => statements.run(query))
    : sqliteKysely((query) => lane.write((tx) => tx.db.executeQuery(query)));
  let closing: Promise<void> | undefined;
  return {
    dialect: 'sqlite',
    read,
    write: (_lane, work) => lane.write(work),
    migrate: () => lane.write((tx) => migrate(tx.db, 'sqlite')),
    close: () => {
      closing ??= lane.close().then(() => {
        reader?.close();
      });
      return closing;
    },
  };
}

class SqliteWriter implements Writer {
  readonly #database: Database;
  readonly #statements: StatementCache;
  readonly #db: Kysely<Schema>;
  readonly #transaction: Transaction;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = new StatementCache(database);
    this.#db = sqliteKysely(async (query) => this.#statements.run(query));
    this.#transaction = {
      dialect: 'sqlite',
      db: this.#db,
      clicks: new SqliteClickStore(this.#statements, process.pid % SLOTS),
      slot: process.pid % SLOTS,
      savepoint: (step) => this.#savepoint(step),
    };
  }

  async transact<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#statements.get('BEGIN IMMEDIATE').run();
    try {
      const result = await body(this.#transaction);
      this.#statements.get('COMMIT').run();
      return result;
    } catch (error) {
      // An I/O error may have ended the transaction already.
      if (this.#database.inTransaction) this.#statements.get('ROLLBACK').run();
      throw error;
    }
  }

  async #savepoint<T>(step: () => Promise<T>): Promise<T> {
    this.#statements.get('SAVEPOINT work').run();
    try {
      const result = await step();
      this.#statements.get('RELEASE work').run();
      return result;
    } catch (error) {
      if (this.#database.inTransaction) {
        this.#statements.get('ROLLBACK TO work').run();
        this.#statements.get('RELEASE work').run();
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
