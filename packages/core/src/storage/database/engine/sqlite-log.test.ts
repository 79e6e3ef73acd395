import { fstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../../rejection.ts';
import { SqliteClickStore } from '../../tracking/clicks-sqlite.ts';
import { OutcomeUnknown, type Transaction } from './engine.ts';
import { type FileSync, SqliteLog } from './sqlite-log.ts';
import { SqliteWriter } from './sqlite-writer.ts';

const FAST_MS = 0.2;
const SLOW_MS = 2;

let folder: string;
let database: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-log-'));
  database = openAt(join(folder, 'affkit.db'));
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function openAt(path: string): Database {
  const opened = new BetterSqlite3(path);
  opened.pragma('journal_mode = WAL');
  opened.exec('CREATE TABLE IF NOT EXISTS marks (name TEXT)');
  return opened;
}

const insert = (name: string) => async () => {
  database.prepare('INSERT INTO marks VALUES (?)').run(name);
  return name;
};

/** A disk with a fake clock. Each sync takes `durationMs`. */
class FakeDisk implements FileSync {
  readonly log: ('blocking' | 'in thread')[] = [];
  durationMs: number;
  clockMs = 0;
  onSync: (descriptor: number) => void | Promise<void> = () => {};

  constructor(durationMs: number) {
    this.durationMs = durationMs;
  }

  blocking(descriptor: number): void {
    this.log.push('blocking');
    this.clockMs += this.durationMs;
    this.onSync(descriptor);
  }

  async inThread(descriptor: number): Promise<void> {
    this.log.push('in thread');
    this.clockMs += this.durationMs;
    await this.onSync(descriptor);
  }

  now(): number {
    return this.clockMs;
  }
}

function writerWith(file: FileSync): SqliteWriter {
  return new SqliteWriter(database, new SqliteLog(database, file), null, {
    busyTimeoutMs: 0,
    createClickStore: (statements, slot) => new SqliteClickStore(statements, slot),
  });
}

test('settles a transaction only after the sync of the log', async () => {
  const disk = new FakeDisk(SLOW_MS);
  const writer = writerWith(disk);
  await writer.transact(insert('first'));
  let endSync = () => {};
  disk.onSync = () => new Promise((resolve) => (endSync = resolve));
  let isSettled = false;
  const writing = writer.transact(insert('a')).then(() => {
    isSettled = true;
  });
  // After these turns, the transaction is committed and only the sync is pending.
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect([database.inTransaction, isSettled]).toEqual([false, false]);
  endSync();
  await writing;
  expect(isSettled).toBe(true);
});

describe('the sync mode', () => {
  async function syncsOf(...durationsMs: number[]): Promise<FakeDisk['log']> {
    const disk = new FakeDisk(FAST_MS);
    const log = new SqliteLog(database, disk);
    for (const durationMs of durationsMs) {
      disk.durationMs = durationMs;
      await log.sync();
    }
    return disk.log;
  }

  test('on a fast disk, every sync blocks, even if a few syncs are slow', async () => {
    const durationsMs = Array.from({ length: 40 }, (_, sync) => (sync % 10 === 5 ? SLOW_MS : FAST_MS));
    expect(new Set(await syncsOf(...durationsMs))).toEqual(new Set(['blocking']));
  });

  test('on a fast disk, every sync blocks, even after a single very slow sync', async () => {
    const syncs = await syncsOf(FAST_MS, FAST_MS, 20, ...Array(20).fill(FAST_MS));
    expect(new Set(syncs)).toEqual(new Set(['blocking']));
  });

  test.each([
    ['third', 3, 50],
    ['fourth', 4, 20],
    ['tenth', 10, 100],
  ])('lets at most three slow syncs block when every %s sync takes %i ms', async (_nth, period, slowMs) => {
    const durationsMs = Array.from({ length: 300 }, (_, sync) =>
      sync % period === period - 1 ? slowMs : FAST_MS,
    );
    const syncs = await syncsOf(...durationsMs);
    const stalls = syncs.filter((kind, sync) => kind === 'blocking' && durationsMs[sync] === slowMs);
    expect(stalls.length).toBeLessThanOrEqual(3);
  });

  test('uses a thread on a slow disk', async () => {
    expect(await syncsOf(SLOW_MS, SLOW_MS, SLOW_MS)).toEqual(['blocking', 'in thread', 'in thread']);
  });

  test('switches to a thread within five syncs after the disk becomes slow', async () => {
    const syncs = await syncsOf(...Array(20).fill(FAST_MS), ...Array(20).fill(SLOW_MS));
    expect(syncs.lastIndexOf('blocking')).toBeLessThan(25);
  });
});

test.each([
  ['1000 times the duration of the slow sync', 5, 5_000],
  ['60 seconds at most', 200, 60_000],
])('tries a blocking sync again after %s', async (_rule, durationMs, periodMs) => {
  const disk = new FakeDisk(durationMs);
  const log = new SqliteLog(database, disk);
  await log.sync();
  const inThreadUntil = disk.clockMs + periodMs;
  disk.clockMs = inThreadUntil - 1;
  await log.sync();
  disk.clockMs = inThreadUntil;
  await log.sync();
  await log.sync();
  expect(disk.log).toEqual(['blocking', 'in thread', 'blocking', 'in thread']);
});

test('syncs the log next to the target of a symbolic link', async () => {
  mkdirSync(join(folder, 'elsewhere'));
  const path = join(folder, 'elsewhere', 'real.db');
  openAt(path).close();
  symlinkSync(path, join(folder, 'link.db'));
  const linked = openAt(join(folder, 'link.db'));
  linked.exec("INSERT INTO marks VALUES ('a')");
  const disk = new FakeDisk(SLOW_MS);
  const synced: number[] = [];
  disk.onSync = (descriptor) => void synced.push(fstatSync(descriptor).ino);
  const log = new SqliteLog(linked, disk);
  await log.sync();
  await log.sync();
  const { ino } = statSync(`${path}-wal`);
  expect(synced).toEqual([ino, ino]);
  log.close();
  linked.close();
});

test.each([
  ['blocking', 0],
  ['in thread', 1],
])(
  'rejects with OutcomeUnknown when a sync fails (%s), and rejects all later writes',
  async (kind, before) => {
    const disk = new FakeDisk(SLOW_MS);
    const writer = writerWith(disk);
    for (let written = 0; written < before; written++) await writer.transact(insert('before'));
    disk.onSync = () => {
      throw new Error('EIO: i/o error, fdatasync');
    };
    await expect(writer.transact(insert('a'))).rejects.toThrow(OutcomeUnknown);
    const further = writer.transact(insert('b'));
    await expect(further).rejects.toThrow(Unavailable);
    await expect(further).rejects.toThrow(
      'Check the disk, then stop all processes that use this database and start them again',
    );
    expect(disk.log.slice(before)).toEqual([kind]);
    expect(database.prepare("SELECT name FROM marks WHERE name <> 'before'").pluck().all()).toEqual(['a']);
  },
);

test('does not sync after a transaction that fails', async () => {
  const disk = new FakeDisk(FAST_MS);
  const failing = writerWith(disk).transact(async (_tx: Transaction) => {
    await insert('a')();
    throw new Error('no such program');
  });
  await expect(failing).rejects.toThrow('no such program');
  expect(disk.log).toEqual([]);
});
