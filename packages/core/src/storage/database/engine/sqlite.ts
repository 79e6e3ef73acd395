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
  /** The database file, made when missing; its folder must exist. Or `:memory:`. */
  readonly path: string;
  /**
   * How long other processes may hold the file's write lock before a write is refused as `Unavailable`.
   * @default 10_000
   */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 10_000;
/** For opening and reading, where waits are rare and short. */
const DRIVER_TIMEOUT_MS = 5_000;
/** For writing: the driver's wait stops the process. */
const WRITER_TIMEOUT_MS = 20;
/** Folding the log into the file holds up the commit that meets it: 32 MB at a time, not SQLite's 4. */
const CHECKPOINT_PAGES = 8_000;
const MAX_OPEN_PAUSE_MS = 10;
const MAX_QUEUE = 20_000;
const MAX_WORKS = 200;

/**
 * SQLite in WAL mode: a commit has reached the disk before it is answered (see `SqliteLog`). One writer, in
 * groups; reads have a read-only connection of their own, for on the writer's they would see what is not committed.
 * @throws when the file can't be opened or kept durable, saying which and why, and on a Node that is too old
 */
export function openSqliteEngine(options: SqliteOptions, createClickStore: SqliteClickStoreFactory): Engine {
  requireNode(process.versions.node);
  const { database, log } = openToWrite(options.path);
  // A database in memory belongs to its connection: its reads go through the lane.
  const reader = database.memory ? null : openToRead(options.path, database);
  const writer = new SqliteWriter(database, log, reader, {
    busyTimeoutMs: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    createClickStore,
  });
  const lane = new Lane(writer, { maxWorks: MAX_WORKS, maxQueue: MAX_QUEUE });
  const statements = reader && new StatementCache(reader);
  const read = statements
    ? sqliteKysely(async (query) => statements.run(query))
    : sqliteKysely((query) => lane.write((tx) => tx.db.executeQuery(query)));
  let closing: Promise<void> | undefined;
  return {
    dialect: 'sqlite',
    lanes: 1,
    read,
    snapshot: (look) =>
      reader ? readSnapshot(options.path, database, look) : lane.write((tx) => look(tx.db)),
    write: (_lane, work, _touched, size) => lane.write(work, undefined, size),
    flushNow: () => lane.flushNow(),
    canWrite: () => log.isSound,
    migrate: () => lane.write((tx) => migrate(tx.db, 'sqlite')),
    close: () => {
      closing ??= lane.close();
      return closing;
    },
  };
}

function openToWrite(path: string): { database: Database; log: SqliteLog } {
  if (path.trim() === '') throw new Error('The path of the SQLite database is empty');
  return opening(path, () => {
    const database = new BetterSqlite3(path, { timeout: DRIVER_TIMEOUT_MS });
    try {
      const mode = database.pragma('journal_mode = WAL', { simple: true });
      if (mode !== 'wal' && !database.memory) {
        throw new Error(`its file system allows journal mode ${mode} only`);
      }
      // The log is synced after each commit by `SqliteLog`.
      database.pragma('synchronous = NORMAL');
      database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      database.pragma('foreign_keys = ON');
      database.pragma(`busy_timeout = ${WRITER_TIMEOUT_MS}`);
      // After a disk that failed, what the system still has of the log would hide what the disk has not. So the log begins
      // anew with each start, unless another process is at work on it.
      database.pragma('wal_checkpoint(TRUNCATE)');
      return { database, log: new SqliteLog(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function openToRead(path: string, writer: Database): Database {
  try {
    return opening(path, () => {
      const database = new BetterSqlite3(path, { readonly: true, timeout: DRIVER_TIMEOUT_MS });
      // Opens the file: the driver itself does so only at the first query.
      database.pragma('schema_version');
      return database;
    });
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** Reads on a connection of its own: the reader's other queries are to see what comes meanwhile. */
async function readSnapshot<T>(
  path: string,
  writer: Database,
  look: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  if (!writer.open) throw new Unavailable('The database is closed');
  const database = opening(
    path,
    () => new BetterSqlite3(path, { readonly: true, timeout: DRIVER_TIMEOUT_MS }),
  );
  try {
    database.exec('BEGIN');
    const statements = new StatementCache(database);
    return await look(sqliteKysely(async (query) => statements.run(query)));
  } finally {
    database.close();
  }
}

/**
 * While one process turns a new file to WAL mode, or folds the log on its close, the driver answers the others
 * "locked" at once, whatever its timeout.
 */
function opening<T>(path: string, open: () => T): T {
  const deadline = performance.now() + DRIVER_TIMEOUT_MS;
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (isBusy(error) && performance.now() < deadline) {
        sleepSync(1 + Math.random() * MAX_OPEN_PAUSE_MS);
        continue;
      }
      const reason = error instanceof Error ? error.message : String(error);
      const message = `Can't open the SQLite database ${path}: ${reason}.${adviceOn(error)}`;
      throw new Error(message, { cause: error });
    }
  }
}

/** A sentence with a space before it, or nothing. */
function adviceOn(error: unknown): string {
  if (isBusy(error)) return ' Another process keeps it locked.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_NOTADB') return ' It is another kind of file.';
  // The driver's own error about a folder that is missing.
  const isPlace = /^SQLITE_(CANTOPEN|READONLY)/.test(code) || error instanceof TypeError;
  return isPlace ? ' Its folder must exist, and this process must be allowed to write there.' : '';
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
