import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freeDiskSpace, withFullDisk } from '../../core/test/durability/strace.ts';
import { type PostgresServer, startPostgres } from '../../core/test/support/postgres-server.ts';
import { listChildren } from '../../core/test/support/processes.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { expectConsistent, prepareDatabase } from './database-fixture.ts';
import { type Load, startLoad } from './load.ts';
import { runServer, type ServerProcess } from './server-process.ts';

const BATCH = byDepth({ short: 100, long: 400 });
const CRASHES = byDepth({ short: 1, long: 3 });
/** The number of writes that succeed before the disk is full. Postgres needs some writes to start. */
const WRITES = { tables: 10, log: 100 };

/**
 * These warnings appear only if background jobs run while Postgres rejects writes or is down. Whether jobs run
 * then depends on timing.
 */
const JOB_WARNINGS = [
  'background jobs failed; retrying at the next interval',
  'outbox row failed; it will be retried',
];

const TABLES = `SELECT pg_relation_filepath(oid) AS file FROM pg_class
  WHERE relkind IN ('r', 'i', 't') AND relnamespace = 'public'::regnamespace`;
const LOG = `SELECT 'pg_wal/' || pg_walfile_name(pg_current_wal_lsn() + segment * 16777216::numeric) AS file
  FROM generate_series(0, 20) AS segment`;

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

describe('when the disk of Postgres is full', () => {
  test('rejects writes with the reason, serves reads, and recovers, if Postgres can write its WAL but not its tables', async () => {
    const { server, load, token, expectNothingLost } = await serveOnFullDisk(TABLES, WRITES.tables);
    await load.failed(2 * BATCH);
    expect(load.lines.length).toBeGreaterThan(0);
    const headers = { authorization: `Bearer ${token}` };
    expect((await server.send('/api/v1/cli/status', { headers })).status).toBe(200);
    expect((await server.send('/readyz')).status).toBe(200);
    expect([...new Set(listRequestWarnings(server))]).toEqual([
      'answered 503: The disk of the Postgres server is full. Free up space; writes then resume automatically',
    ]);

    freeDiskSpace(pidOfPostgres());
    await load.acknowledged(load.lines.length + BATCH);
    await load.stop();
    expect([...load.failures.keys()]).toEqual([503]);
    await expectNothingLost();
  });

  test('loses no acknowledged event and recovers, even if Postgres cannot write its WAL and crashes', async () => {
    const { server, load, expectNothingLost } = await serveOnFullDisk(LOG, WRITES.log);
    for (let crash = 0; crash < CRASHES; crash++) await waitForCrash(load);

    freeDiskSpace(pidOfPostgres());
    await load.acknowledged(load.lines.length + BATCH);
    await load.stop();
    expect([...load.failures.keys()].filter((status) => status !== 503)).toEqual([]);
    expect(listRequestWarnings(server).filter((message) => !message.startsWith('answered 503: '))).toEqual(
      [],
    );
    await expectNothingLost();
  });
});

function pidOfPostgres(): number {
  if (postgres.pid === undefined) throw new Error('Postgres is not running');
  return postgres.pid;
}

/**
 * Starts a server and load on a Postgres where writing some files fails with `ENOSPC`.
 * @param fileQuery a query that returns the files, as paths relative to the data directory
 * @param writes the number of writes to these files that succeed before the first failure
 */
async function serveOnFullDisk(fileQuery: string, writes: number) {
  const { database, token, code, env } = await prepareDatabase(await postgres.createDatabase());
  const files = await listFiles(database, fileQuery);
  await postgres.stopFast();
  await postgres.restart(withFullDisk(files, writes));
  const server = runServer(env);
  const urls = [`http://127.0.0.1:${await server.listening}`];
  const load = startLoad({ urls, token, code, prefix: 'full', visitors: 12, buyers: 6 });
  return { server, load, token, expectNothingLost: () => expectConsistent(database, load.lines) };
}

async function listFiles(database: string, fileQuery: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<{ file: string }>(
      `SELECT current_setting('data_directory') || '/' || file AS file FROM (${fileQuery}) AS files`,
    );
    return rows.map(({ file }) => file);
  } finally {
    await client.end();
  }
}

/** Resolves when Postgres has replaced all its child processes, as it does after a crash. */
async function waitForCrash(load: Load): Promise<void> {
  const list = () => listChildren(pidOfPostgres());
  let before = list();
  while (before.length === 0) before = list();
  while (list().some((child) => before.includes(child))) await load.acknowledged(load.lines.length + 1);
}

/** @returns the log messages at level `warn` or above, except those of background jobs */
function listRequestWarnings(server: ServerProcess): string[] {
  return server.stdout
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level }) => level >= 40)
    .map(({ msg }) => msg)
    .filter((message) => !JOB_WARNINGS.includes(message));
}
