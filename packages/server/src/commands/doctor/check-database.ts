import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DatabaseHealth, type Engine, measureCommits, readDatabaseHealth } from '@affkit/core';
import type { DatabaseConfig } from '../../config.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** The oldest version of Postgres that Affkit is tested with. */
const OLDEST_POSTGRES = 14;
/** Above this offset, times of events may be out of order. */
const MAX_CLOCK_OFFSET_MS = 1_000;
/** Above this offset, time limits of links, sessions, signatures, and holds become noticeably wrong. */
const WRONG_CLOCK_OFFSET_MS = 30_000;
const MEASURED_COMMITS = 9;
/** A commit takes 0.1 to 2 ms on a local SSD, and up to 10 ms on a network disk. */
const SLOW_COMMIT_MS = 20;
/**
 * A lane is a queue of writes that commit one after the other. At this speed, it reaches only 10 commits per
 * second.
 */
const VERY_SLOW_COMMIT_MS = 100;
const MIN_FREE_SHARE = 0.05;

/** The types of file systems by the number that `statfs` of Linux returns. */
const FILE_SYSTEMS: ReadonlyMap<
  number,
  { readonly name: string; readonly risk: 'memory' | 'network' | 'container' }
> = new Map([
  [0x01021994, { name: 'tmpfs', risk: 'memory' }],
  [0x858458f6, { name: 'ramfs', risk: 'memory' }],
  [0x6969, { name: 'NFS', risk: 'network' }],
  [0xff534d42, { name: 'CIFS', risk: 'network' }],
  [0xfe534d42, { name: 'SMB', risk: 'network' }],
  [0x794c7630, { name: 'overlayfs', risk: 'container' }],
]);

/** Checks a database: version, migrations, clock, durability, and the time of a commit. */
export async function checkDatabase(engine: Engine, config: DatabaseConfig): Promise<Finding[]> {
  const health = await readDatabaseHealth({ engine });
  const isMigrated = health.migrations.pending.length === 0 && health.migrations.newer.length === 0;
  return [
    checkVersion(health),
    checkMigrations(health),
    checkClock(health),
    ...checkDurability(health),
    ...(config.kind === 'sqlite' ? checkFileSystem(config.path) : []),
    // The measured statement needs the tables of this version.
    ...(isMigrated ? [judgeCommits(await measureCommits({ engine }, MEASURED_COMMITS))] : []),
  ];
}

export function checkVersion({ dialect, version }: Pick<DatabaseHealth, 'dialect' | 'version'>): Finding {
  const check = 'database.version';
  if (dialect === 'sqlite') return ok(check, `SQLite ${version}, which is part of Affkit.`);
  if (Number.parseInt(version, 10) >= OLDEST_POSTGRES) return ok(check, `Postgres ${version}.`);
  return problem(
    check,
    `Postgres ${version} is older than ${OLDEST_POSTGRES}, the oldest version that Affkit is tested with.`,
    `Upgrade Postgres to version ${OLDEST_POSTGRES} or later.`,
  );
}

export function checkMigrations({
  migrations: { applied, pending, newer },
}: Pick<DatabaseHealth, 'migrations'>): Finding {
  const check = 'database.migrations';
  if (newer.length > 0) {
    return problem(
      check,
      `A newer version of Affkit has migrated the database (${newer.join(', ')}). This version cannot start.`,
      'Install that version again, or restore a backup.',
    );
  }
  if (pending.length === 0) return ok(check, `All ${applied.length} migrations are applied.`);
  return warning(
    check,
    `${pending.length} of ${applied.length + pending.length} migrations are pending, the first is ${pending[0]}.`,
    'Back up the database, and start the server. It migrates the database.',
  );
}

export function checkClock({ dialect, clockOffsetMs, clockErrorMs }: DatabaseHealth): Finding {
  const check = 'database.clock';
  if (dialect === 'sqlite') return ok(check, 'SQLite uses the clock of this machine.');
  const direction = clockOffsetMs > 0 ? 'ahead of' : 'behind';
  const difference = `${Math.abs(clockOffsetMs)} ms ${direction} the clock of this machine`;
  const off = Math.abs(clockOffsetMs) - clockErrorMs;
  const message = `The clock of the database is ${difference} (± ${clockErrorMs} ms).`;
  if (off <= MAX_CLOCK_OFFSET_MS) return ok(check, message);
  const advice = 'Synchronize both clocks with NTP, for example with chrony or systemd-timesyncd.';
  return off > WRONG_CLOCK_OFFSET_MS
    ? problem(check, `${message} Links, sessions and holds end at the wrong time.`, advice)
    : warning(check, `${message} Times of events may be out of order.`, advice);
}

export function checkDurability({
  dialect,
  durability,
}: Pick<DatabaseHealth, 'dialect' | 'durability'>): Finding[] {
  const check = 'database.durability';
  if (dialect === 'sqlite') {
    const mode = durability['journal_mode'] ?? 'unknown';
    if (mode === 'memory') {
      return [
        problem(
          check,
          'The database is in memory. Everything is lost when the server stops.',
          'Set DATABASE_URL to sqlite:PATH or to a Postgres URL.',
        ),
      ];
    }
    if (mode === 'wal') {
      return [
        ok(check, 'journal_mode is wal, and Affkit syncs the log before each reply (synchronous=NORMAL).'),
      ];
    }
    return [
      problem(
        check,
        `journal_mode is ${mode}, but Affkit requires wal.`,
        'Move the file to a local file system, and start the server.',
      ),
    ];
  }
  const off = ['fsync', 'full_page_writes'].filter((name) => durability[name] === 'off');
  if (off.length === 0) {
    return [ok(check, 'fsync and full_page_writes are on, and Affkit commits with synchronous_commit=on.')];
  }
  return off.map((name) =>
    problem(
      check,
      name === 'fsync'
        ? 'fsync is off. A crash of the database server can lose acknowledged sales and corrupt the database.'
        : 'full_page_writes is off. A crash during a write can corrupt the database.',
      `Set ${name} = on in postgresql.conf, and reload the configuration.`,
    ),
  );
}

function checkFileSystem(path: string): Finding[] {
  if (path === ':memory:' || !existsSync(path)) return [];
  const { type, bavail, blocks } = statfsSync(dirname(path));
  return [
    // The numbers in `FILE_SYSTEMS` apply only to Linux.
    ...(process.platform === 'linux' ? judgeFileSystem(type) : []),
    judgeFreeSpace(blocks === 0 ? 1 : bavail / blocks),
  ];
}

/** @param type the number of the file system, as returned by `statfs` of Linux */
export function judgeFileSystem(type: number): Finding[] {
  const check = 'database.file_system';
  const found = FILE_SYSTEMS.get(type);
  if (!found) return [ok(check, 'The file is on a local file system.')];
  const advice = 'Move the database to a folder on a local disk, or use Postgres.';
  switch (found.risk) {
    case 'memory':
      return [
        problem(
          check,
          `The file is on ${found.name}, which is in memory. A restart of the machine deletes it.`,
          advice,
        ),
      ];
    case 'network':
      return [
        problem(
          check,
          `The file is on ${found.name}. SQLite's locks are not reliable on network file systems, and the file can become corrupt.`,
          advice,
        ),
      ];
    case 'container':
      return [
        warning(
          check,
          `The file is on ${found.name}, which is usually a container layer. Removing the container deletes the file.`,
          'Mount a volume at the folder of the database.',
        ),
      ];
  }
}

/** @param share the free part of the disk, from 0 to 1 */
export function judgeFreeSpace(share: number): Finding {
  const check = 'database.disk_space';
  const percent = `${Math.floor(share * 100)} % of the disk is free.`;
  if (share >= MIN_FREE_SHARE) return ok(check, percent);
  return warning(
    check,
    `Only ${percent} When the disk is full, the server rejects all events with 503.`,
    'Free up space, or move the database to a larger disk.',
  );
}

/** @param times of several commits, in milliseconds */
export function judgeCommits(times: readonly number[]): Finding {
  const check = 'database.commit';
  const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  const message = `A commit takes ${median.toFixed(1)} ms (the median of ${times.length}). 0.1 to 10 ms is usual.`;
  if (median <= SLOW_COMMIT_MS) return ok(check, message);
  const effect = `${message} Each request that writes waits at least this long.`;
  const advice =
    'Use a local SSD for the database, run the server close to it, and check whether other programs use the disk.';
  return median > VERY_SLOW_COMMIT_MS ? problem(check, effect, advice) : warning(check, effect, advice);
}
