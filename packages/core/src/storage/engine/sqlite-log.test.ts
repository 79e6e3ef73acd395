import { fstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Unavailable } from '../../rejection.ts';
import { OutcomeUnknown, type Transaction } from './engine.ts';
import { SqliteLog } from './sqlite-log.ts';
import { SqliteWriter } from './sqlite-writer.ts';

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

function writerWith(sync: (descriptor: number) => Promise<void>): SqliteWriter {
  return new SqliteWriter(database, new SqliteLog(database, sync), null, 0);
}

test('a transaction is over when the sync of its log is, and not before', async () => {
  let endSync = () => {};
  const writer = writerWith(() => new Promise((resolve) => (endSync = resolve)));
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

test('what is synced is the log of the file behind a link', async () => {
  mkdirSync(join(folder, 'elsewhere'));
  const path = join(folder, 'elsewhere', 'real.db');
  openAt(path).close();
  symlinkSync(path, join(folder, 'link.db'));
  const linked = openAt(join(folder, 'link.db'));
  linked.exec("INSERT INTO marks VALUES ('a')");
  const synced: number[] = [];
  const log = new SqliteLog(linked, async (descriptor) => {
    synced.push(fstatSync(descriptor).ino);
  });
  await log.sync();
  expect(synced).toEqual([statSync(`${path}-wal`).ino]);
  log.close();
  linked.close();
});

test('after a sync that failed the outcome is unknown, and nothing is written any more', async () => {
  let syncs = 0;
  const writer = writerWith(async () => {
    syncs += 1;
    throw new Error('EIO: i/o error, fdatasync');
  });
  await expect(writer.transact(mark('a'))).rejects.toThrow(OutcomeUnknown);
  const further = writer.transact(mark('b'));
  await expect(further).rejects.toThrow(Unavailable);
  await expect(further).rejects.toThrow('Check it, then stop all processes that use it and start them anew');
  expect(syncs).toBe(1);
  expect(database.prepare('SELECT name FROM marks').pluck().all()).toEqual(['a']);
});

test('a transaction that fails is not synced', async () => {
  let syncs = 0;
  const writer = writerWith(async () => {
    syncs += 1;
  });
  const failing = writer.transact(async (_tx: Transaction) => {
    await mark('a')();
    throw new Error('no such program');
  });
  await expect(failing).rejects.toThrow('no such program');
  expect(syncs).toBe(0);
});
