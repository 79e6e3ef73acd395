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

const QUICK_MS = 0.2;
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

const mark = (name: string) => async () => {
  database.prepare('INSERT INTO marks VALUES (?)').run(name);
  return name;
};

/** A disk whose syncs take that many ms each, by a clock of its own. */
class FakeDisk implements FileSync {
  readonly log: ('here' | 'in thread')[] = [];
  tookMs: number;
  clockMs = 0;
  onSync: (descriptor: number) => void | Promise<void> = () => {};

  constructor(tookMs: number) {
    this.tookMs = tookMs;
  }

  here(descriptor: number): void {
    this.log.push('here');
    this.clockMs += this.tookMs;
    this.onSync(descriptor);
  }

  async inThread(descriptor: number): Promise<void> {
    this.log.push('in thread');
    this.clockMs += this.tookMs;
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

test('a transaction is over when the sync of its log is, and not before', async () => {
  const disk = new FakeDisk(SLOW_MS);
  const writer = writerWith(disk);
  await writer.transact(mark('first'));
  let endSync = () => {};
  disk.onSync = () => new Promise((resolve) => (endSync = resolve));
  let isOver = false;
  const writing = writer.transact(mark('a')).then(() => {
    isOver = true;
  });
  // The commit is done by then, and everything else that could end it has had its turn.
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect([database.inTransaction, isOver]).toEqual([false, false]);
  endSync();
  await writing;
  expect(isOver).toBe(true);
});

describe('a disk', () => {
  async function syncsOf(...tookMs: number[]): Promise<FakeDisk['log']> {
    const disk = new FakeDisk(QUICK_MS);
    const log = new SqliteLog(database, disk);
    for (const ms of tookMs) {
      disk.tookMs = ms;
      await log.sync();
    }
    return disk.log;
  }

  test('that is quick is synced where the commit is, also where it is slow for once', async () => {
    const tookMs = Array.from({ length: 40 }, (_, sync) => (sync % 10 === 5 ? SLOW_MS : QUICK_MS));
    expect(new Set(await syncsOf(...tookMs))).toEqual(new Set(['here']));
  });

  test('that is quick is synced there also after a sync that was very slow', async () => {
    const syncs = await syncsOf(QUICK_MS, QUICK_MS, 20, ...Array(20).fill(QUICK_MS));
    expect(new Set(syncs)).toEqual(new Set(['here']));
  });

  test.each([
    ['every third of whose syncs takes 50 ms', 3, 50],
    ['every fourth of whose syncs takes 20 ms', 4, 20],
    ['every tenth of whose syncs takes 100 ms', 10, 100],
  ])('%s stops the event loop for a few of them only', async (_disk, period, slowMs) => {
    const tookMs = Array.from({ length: 300 }, (_, sync) =>
      sync % period === period - 1 ? slowMs : QUICK_MS,
    );
    const syncs = await syncsOf(...tookMs);
    const stalled = syncs.filter((where, sync) => where === 'here' && tookMs[sync] === slowMs);
    expect(stalled.length).toBeLessThanOrEqual(3);
  });

  test('that is slow is synced in a thread', async () => {
    expect(await syncsOf(SLOW_MS, SLOW_MS, SLOW_MS)).toEqual(['here', 'in thread', 'in thread']);
  });

  test('that becomes slow is synced in a thread soon', async () => {
    const syncs = await syncsOf(...Array(20).fill(QUICK_MS), ...Array(20).fill(SLOW_MS));
    expect(syncs.lastIndexOf('here')).toBeLessThan(25);
  });
});

test.each([
  ['a thousand times as long as the sync took', 5, 5_000],
  ['a minute at most', 200, 60_000],
])('the event loop waits for a slow disk again only after %s', async (_rule, tookMs, restMs) => {
  const disk = new FakeDisk(tookMs);
  const log = new SqliteLog(database, disk);
  await log.sync();
  const restsUntil = disk.clockMs + restMs;
  disk.clockMs = restsUntil - 1;
  await log.sync();
  disk.clockMs = restsUntil;
  await log.sync();
  await log.sync();
  expect(disk.log).toEqual(['here', 'in thread', 'here', 'in thread']);
});

test('what is synced is the log of the file behind a link', async () => {
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
  ['here', 0],
  ['in thread', 1],
])(
  'after a sync that failed (%s) the outcome is unknown, and nothing is written any more',
  async (where, before) => {
    const disk = new FakeDisk(SLOW_MS);
    const writer = writerWith(disk);
    for (let written = 0; written < before; written++) await writer.transact(mark('before'));
    disk.onSync = () => {
      throw new Error('EIO: i/o error, fdatasync');
    };
    await expect(writer.transact(mark('a'))).rejects.toThrow(OutcomeUnknown);
    const further = writer.transact(mark('b'));
    await expect(further).rejects.toThrow(Unavailable);
    await expect(further).rejects.toThrow(
      'Check it, then stop all processes that use it and start them anew',
    );
    expect(disk.log.slice(before)).toEqual([where]);
    expect(database.prepare("SELECT name FROM marks WHERE name <> 'before'").pluck().all()).toEqual(['a']);
  },
);

test('a transaction that fails is not synced', async () => {
  const disk = new FakeDisk(QUICK_MS);
  const failing = writerWith(disk).transact(async (_tx: Transaction) => {
    await mark('a')();
    throw new Error('no such program');
  });
  await expect(failing).rejects.toThrow('no such program');
  expect(disk.log).toEqual([]);
});
