import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRoom, onFullDisk } from '../../core/test/durability/strace.ts';
import { type PostgresServer, startPostgres } from '../../core/test/support/postgres-server.ts';
import { listChildren } from '../../core/test/support/processes.ts';
import { type Crowd, startCrowd } from './crowd.ts';
import { runServer, type ServerProcess } from './server-process.ts';
import { expectExact, prepareDatabase } from './world.ts';

const SOME = 400;
/** The room is for what a new Postgres has to write before it serves. */
const WRITES = { tables: 10, log: 100 };

const TABLES = `SELECT pg_relation_filepath(oid) AS file FROM pg_class
  WHERE relkind IN ('r', 'i', 't') AND relnamespace = 'public'::regnamespace`;
const LOG = `SELECT 'pg_wal/' || pg_walfile_name(pg_current_wal_lsn() + segment * 16777216::numeric) AS file
  FROM generate_series(0, 20) AS segment`;

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

describe('a Postgres whose disk is full', { timeout: 240_000 }, () => {
  test('for tables: what adds a row is refused and says why, reads are answered, and later all goes on', async () => {
    const { server, crowd, token, expectNothingLost } = await serveOnFullDisk(TABLES, WRITES.tables);
    await crowd.refused(2 * SOME);
    expect(crowd.lines.length).toBeGreaterThan(0);
    const headers = { authorization: `Bearer ${token}` };
    expect((await server.send('/api/v1/cli/status', { headers })).status).toBe(200);
    expect((await server.send('/readyz')).status).toBe(200);
    expect([...new Set(troubles(server))]).toEqual([
      'answered 503: The disk of the Postgres server is full. Free up space; writes then resume automatically',
    ]);

    makeRoom(pidOfPostgres());
    await crowd.reached(crowd.lines.length + SOME);
    await crowd.stop();
    expect([...crowd.refusals.keys()]).toEqual([503]);
    await expectNothingLost();
  });

  test('for its log, and which crashes of it again and again: nothing acknowledged is lost, and service goes on', async () => {
    const { server, crowd, expectNothingLost } = await serveOnFullDisk(LOG, WRITES.log);
    for (let crash = 0; crash < 3; crash++) await crashed(crowd);

    makeRoom(pidOfPostgres());
    await crowd.reached(crowd.lines.length + SOME);
    await crowd.stop();
    expect([...crowd.refusals.keys()].filter((status) => status !== 503)).toEqual([]);
    expect(troubles(server).filter((trouble) => !trouble.startsWith('answered 503: '))).toEqual([]);
    await expectNothingLost();
  });
});

function pidOfPostgres(): number {
  if (postgres.pid === undefined) throw new Error('Postgres does not run');
  return postgres.pid;
}

/** @param chosen a query for files, whose place is told from the folder of the data */
async function serveOnFullDisk(chosen: string, writes: number) {
  const { database, token, code, env } = await prepareDatabase(await postgres.createDatabase());
  const files = await listFiles(database, chosen);
  await postgres.stopFast();
  await postgres.restart(onFullDisk(files, writes));
  const server = runServer(env);
  const urls = [`http://127.0.0.1:${await server.listening}`];
  const crowd = startCrowd({ urls, token, code, prefix: 'full', visitors: 12, buyers: 6 });
  return { server, crowd, token, expectNothingLost: () => expectExact(database, crowd.lines) };
}

async function listFiles(database: string, chosen: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<{ file: string }>(
      `SELECT current_setting('data_directory') || '/' || file AS file FROM (${chosen}) AS chosen`,
    );
    return rows.map(({ file }) => file);
  } finally {
    await client.end();
  }
}

/** Ends when all processes of Postgres but the first have been replaced. */
async function crashed(crowd: Crowd): Promise<void> {
  const list = () => listChildren(pidOfPostgres());
  let before = list();
  while (before.length === 0) before = list();
  while (list().some((child) => before.includes(child))) await crowd.reached(crowd.lines.length + 1);
}

function troubles(server: ServerProcess): string[] {
  return server.stdout
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level }) => level >= 40)
    .map(({ msg }) => msg);
}
