import BetterSqlite3, { type Database } from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { Unavailable } from '../../../rejection.ts';
import type { SqliteClickStoreFactory } from '../click-store.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Schema } from '../schema.ts';
import type { Engine } from './engine.ts';
import { Lane } from './lane.ts';
import { requireNode } from './node-version.ts';
import { sqliteKysely } from './sqlite-dialect.ts';
import { SqliteLog } from './sqlite-log.ts';
import { isBusy, SqliteWriter } from './sqlite-writer.ts';
import { StatementCache } from './statement-cache.ts';

export interface SqliteOptions {
  /**
   * The path of the database file, or `:memory:`. If the file is missing, it is created. Its folder must
   * exist.
   */
  readonly path: string;
  /**
   * How long a write waits for other processes to release the file's write lock, in milliseconds. After this
   * time, the write fails with `Unavailable`.
   * @default 10_000
   */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 10_000;
/** The driver's lock timeout for opening and reading, where waits are rare and short. */
const DRIVER_TIMEOUT_MS = 5_000;
/**
 * The driver's lock timeout for writing. It is short, because the driver blocks the event loop while it
 * waits.
 */
const WRITER_TIMEOUT_MS = 20;
/**
 * A checkpoint delays the commit that triggers it. There is therefore only one checkpoint per 32 MB of log, instead of
 * one per 4 MB, which is SQLite's default.
 */
const CHECKPOINT_PAGES = 8_000;
const MAX_OPEN_DELAY_MS = 10;
const MAX_QUEUED_WRITES = 20_000;
const MAX_BATCHED_WRITES = 200;

/**
 * Opens a SQLite database in WAL mode. The promise of `Engine.write` resolves only after the commit is on the disk; see
 * `SqliteLog`. A single connection writes, with group commit. Reads use a separate read-only connection, because they
 * would see uncommitted data on the write connection.
 * @throws Error when the file cannot be opened in WAL mode; the message contains the path and the reason
 * @throws Error when this version of Node is too old for the driver
 */
export function openSqliteEngine(options: SqliteOptions, createClickStore: SqliteClickStoreFactory): Engine {
  requireNode(process.versions.node);
  const { database, log } = openWriter(options.path);
  // An in-memory database is visible only to its own connection, so its reads go through the write queue.
  const reader = database.memory ? null : openReader(options.path, database);
  const writer = new SqliteWriter(database, log, reader, {
    busyTimeoutMs: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    createClickStore,
  });
  const lane = new Lane(writer, { maxBatchSize: MAX_BATCHED_WRITES, maxQueueSize: MAX_QUEUED_WRITES });
  const statements = reader && new StatementCache(reader);
  const read = statements
    ? sqliteKysely(async (query) => statements.run(query))
    : sqliteKysely((query) => lane.write((tx) => tx.db.executeQuery(query)));
  // The copy is made inside a transaction, which other writes may share. `write` resolves only after this transaction
  // is committed, so the copy contains only committed data.
  const copyDatabase = async () =>
    new BetterSqlite3(await lane.write(async () => database.serialize()), { readonly: true });
  let closing: Promise<void> | undefined;
  return {
    dialect: 'sqlite',
    lanes: 1,
    read,
    snapshot: async (body) =>
      readSnapshot(reader ? openSnapshot(options.path, database) : await copyDatabase(), body),
    write: (_lane, work, _lockKeys, size) => lane.write(work, undefined, size),
    maintain: (work) => lane.write(work),
    flushNow: () => lane.flushNow(),
    clickShardOf: () => null,
    load: () => ({ queuedWrites: lane.queueSize }),
    canWrite: () => log.isHealthy,
    changeSchema: (work) => lane.write((tx) => work(tx.db)),
    migrate: () => lane.write((tx) => migrate(tx.db, 'sqlite')),
    close: () => {
      closing ??= lane.close();
      return closing;
    },
  };
}

function openWriter(path: string): { database: Database; log: SqliteLog } {
  // JavaScript callers may pass other options than `path`.
  if (typeof path !== 'string' || path.trim() === '')
    throw new Error('The option "path" of the SQLite database must be a file path or ":memory:"');
  return retryWhileBusy(path, () => {
    const database = new BetterSqlite3(path, { timeout: DRIVER_TIMEOUT_MS });
    try {
      const mode = database.pragma('journal_mode = WAL', { simple: true });
      if (mode !== 'wal' && !database.memory) {
        throw new Error(`its file system does not support WAL mode, only journal mode ${mode}`);
      }
      // NORMAL is enough, because `SqliteLog` syncs the log after each commit.
      database.pragma('synchronous = NORMAL');
      database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      database.pragma('foreign_keys = ON');
      database.pragma(`busy_timeout = ${WRITER_TIMEOUT_MS}`);
      // Start with an empty log. After a disk failure, the page cache may contain parts of the log that
      // are not on the disk. If another process uses the log, the log is not emptied.
      database.pragma('wal_checkpoint(TRUNCATE)');
      return { database, log: new SqliteLog(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function openReader(path: string, writer: Database): Database {
  try {
    return retryWhileBusy(path, () => {
      const database = new BetterSqlite3(path, { readonly: true, timeout: DRIVER_TIMEOUT_MS });
      // The driver does not open the file until the first query.
      database.pragma('schema_version');
      return database;
    });
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** Opens a separate connection, because other queries on the shared reader must see new commits. */
function openSnapshot(path: string, writer: Database): Database {
  if (!writer.open) throw new Unavailable('The database is closed');
  return retryWhileBusy(path, () => new BetterSqlite3(path, { readonly: true, timeout: DRIVER_TIMEOUT_MS }));
}

/** Runs `body` in a transaction and then closes the connection. */
async function readSnapshot<T>(database: Database, body: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  try {
    database.exec('BEGIN');
    const statements = new StatementCache(database);
    return await body(sqliteKysely(async (query) => statements.run(query)));
  } finally {
    database.close();
  }
}

/**
 * Retries while the database is locked. The driver's own timeout is not enough. It has no effect while
 * another process switches a new file to WAL mode, or checkpoints the log on close.
 */
function retryWhileBusy<T>(path: string, open: () => T): T {
  const deadline = performance.now() + DRIVER_TIMEOUT_MS;
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (isBusy(error) && performance.now() < deadline) {
        sleepSync(1 + Math.random() * MAX_OPEN_DELAY_MS);
        continue;
      }
      const reason = error instanceof Error ? error.message : String(error);
      const message = `Can't open the SQLite database ${path}: ${reason}.${adviceFor(error)}`;
      throw new Error(message, { cause: error });
    }
  }
}

/** Returns advice for the user, or an empty string. The advice begins with a space. */
function adviceFor(error: unknown): string {
  if (isBusy(error)) return ' Another process is holding a lock on it.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_NOTADB') return ' The file is not a SQLite database.';
  // The driver throws a TypeError when the folder is missing.
  const isPathError = /^SQLITE_(CANTOPEN|READONLY)/.test(code) || error instanceof TypeError;
  return isPathError ? ' Its folder must exist and be writable by this process.' : '';
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
