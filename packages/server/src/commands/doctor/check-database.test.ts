import { expect, test } from 'vitest';
import {
  checkClock,
  checkDurability,
  checkMigrations,
  checkVersion,
  judgeCommits,
  judgeFileSystem,
  judgeFreeSpace,
} from './check-database.ts';

const clock = (clockOffsetMs: number, clockErrorMs = 5) =>
  checkClock({
    dialect: 'postgres',
    version: '18.1',
    clockOffsetMs,
    clockErrorMs,
    migrations: { applied: [], pending: [], newer: [] },
    durability: {},
  });

test('judges the clock of the database by the difference minus the measurement error', () => {
  expect(clock(20)).toMatchObject({ level: 'ok', message: expect.stringContaining('20 ms ahead of') });
  expect(clock(-1_004)).toMatchObject({ level: 'ok', message: expect.stringContaining('1004 ms behind') });
  expect(clock(-1_006)).toMatchObject({ level: 'warning', advice: expect.stringContaining('NTP') });
  expect(clock(40_000)).toMatchObject({ level: 'problem' });
});

test('judges the median of the commit times, so that one slow commit does not matter', () => {
  expect(judgeCommits([0.4, 0.5, 0.6, 0.7, 900])).toMatchObject({
    level: 'ok',
    message: expect.stringContaining('0.6 ms'),
  });
  expect(judgeCommits([30, 31, 29])).toMatchObject({ level: 'warning' });
  expect(judgeCommits([150, 120, 130])).toMatchObject({ level: 'problem' });
});

test('reports Postgres settings that let a crash lose or corrupt data', () => {
  const levels = (durability: Record<string, string>) =>
    checkDurability({ dialect: 'postgres', durability }).map(({ level, message }) => [
      level,
      message.split(' ')[0],
    ]);
  expect(levels({ fsync: 'on', full_page_writes: 'on' })).toEqual([['ok', 'fsync']]);
  expect(levels({ fsync: 'off', full_page_writes: 'off' })).toEqual([
    ['problem', 'fsync'],
    ['problem', 'full_page_writes'],
  ]);
});

test('reports a SQLite database that is in memory or does not use WAL', () => {
  const levelOf = (mode: string) =>
    checkDurability({ dialect: 'sqlite', durability: { journal_mode: mode } }).map(({ level }) => level);
  expect(levelOf('wal')).toEqual(['ok']);
  expect(levelOf('memory')).toEqual(['problem']);
  expect(levelOf('delete')).toEqual(['problem']);
});

test('reports file systems that can lose or corrupt the file', () => {
  const levelOf = (type: number) => judgeFileSystem(type).map(({ level }) => level);
  expect(levelOf(0xef53)).toEqual(['ok']);
  expect(levelOf(0x01021994)).toEqual(['problem']);
  expect(levelOf(0x6969)).toEqual(['problem']);
  expect(levelOf(0x794c7630)).toEqual(['warning']);
});

test('warns when less than 5 % of the disk is free', () => {
  expect(judgeFreeSpace(0.05)).toMatchObject({ level: 'ok' });
  expect(judgeFreeSpace(0.049)).toMatchObject({ level: 'warning', message: expect.stringContaining('4 %') });
});

test.each([
  ['13.20', 'problem'],
  ['14.0', 'ok'],
  ['18.1 (Debian 18.1-1)', 'ok'],
])('judges Postgres %s as %s', (version, level) => {
  expect(checkVersion({ dialect: 'postgres', version })).toMatchObject({ level });
});

test('reports migrations that are pending, and those of a newer version', () => {
  const check = (pending: string[], newer: string[]) =>
    checkMigrations({ migrations: { applied: ['0001'], pending, newer } });
  expect(check([], [])).toMatchObject({ level: 'ok' });
  expect(check(['0002', '0003'], [])).toMatchObject({
    level: 'warning',
    message: '2 of 3 migrations are pending, the first is 0002.',
  });
  expect(check([], ['0099'])).toMatchObject({
    level: 'problem',
    message: expect.stringContaining('(0099). This version cannot start.'),
    advice: 'Install that version again, or restore a backup.',
  });
});
