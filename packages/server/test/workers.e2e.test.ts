import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { createDatabase } from '../../core/test/support/postgres-server.ts';
import { isRunning, listChildren } from '../../core/test/support/processes.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { NODE_FLAGS } from '../src/node-flags.ts';
import { expectConsistent, expectJobsRanOnce, prepareDatabase } from './database-fixture.ts';
import { startLoad } from './load.ts';
import { runServer, type ServerProcess } from './server-process.ts';

const WORKERS = byDepth({ short: 2, long: 3 });
const KILLS = byDepth({ short: 1, long: 2 });
const BATCH = byDepth({ short: 50, long: 150 });

function workersOf({ child }: ServerProcess): number[] {
  if (child.pid === undefined) throw new Error('The server did not start');
  return listChildren(child.pid);
}

/** @returns the number of requests that all workers have counted for a route */
async function readCount(server: ServerProcess, route: string): Promise<number> {
  const response = await server.send('/metrics', { headers: { authorization: 'Bearer s3cret' } });
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line.startsWith('affkit_http_requests_total'));
  return lines
    .filter((line) => line.includes(`route="${route}"`))
    .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
}

test('workers on a new database share one port and print one password, one sign-in link, and one listening line', async () => {
  const server = runServer({
    DATABASE_URL: `sqlite:${makeTempFolder()}/data/affkit.db`,
    WEB_CONCURRENCY: String(WORKERS),
    METRICS_TOKEN: 's3cret',
  });
  await server.listening;
  expect(workersOf(server)).toHaveLength(WORKERS);
  const [, email, password] = /sign in as (\S+) with the password (\S+) /.exec(server.stdout[0] ?? '') ?? [];
  // All workers share one secret, so each worker accepts sessions from the others.
  const login = await server.send('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { token } = (await login.json()) as { token: string };
  for (let i = 0; i < 2 * WORKERS; i++) {
    const me = await server.send('/api/auth/me', { headers: { authorization: `Bearer ${token}` } });
    expect(me.status).toBe(200);
  }
  expect(await readCount(server, '/api/auth/me')).toBe(2 * WORKERS);
  expect(server.stdout).toEqual([
    expect.stringContaining('with the password'),
    expect.stringContaining('To sign in without the password'),
    expect.stringContaining('listening'),
  ]);
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});

test('every worker gets NODE_FLAGS, and the flags of the command line override them', async () => {
  const printFlags = 'data:text/javascript,console.error(JSON.stringify(process.execArgv))';
  const flags = ['--max-semi-space-size=64', `--import=${printFlags}`];
  const server = runServer(
    { DATABASE_URL: `sqlite:${makeTempFolder()}/affkit.db`, WEB_CONCURRENCY: '2' },
    { nodeFlags: flags },
  );
  await server.listening;
  const [ofPrimary, ...ofWorkers] = server.stderr.map((line) => JSON.parse(line) as string[]);
  expect(ofPrimary?.slice(-2)).toEqual(flags);
  const expected = [...NODE_FLAGS, ...(ofPrimary ?? [])];
  expect(ofWorkers).toEqual([expected, expected]);
});

test('exits with code 1 and one line when the first worker cannot start', async () => {
  const server = runServer({
    DATABASE_URL: 'postgres://affkit@127.0.0.1:1/affkit',
    WEB_CONCURRENCY: '2',
    AFFKIT_SECRET: 's'.repeat(32),
  });
  expect(await server.exited).toBe(1);
  expect([server.stdout, server.stderr]).toEqual([
    [],
    [expect.stringMatching(/^DATABASE_URL can't be used: /)],
  ]);
});

test.each([
  ['Postgres', () => createDatabase(inject('postgresUrl'))],
  ['a SQLite file', async () => join(makeTempFolder(), 'affkit.db')],
])(
  'on %s replaces a killed worker, loses no event, and stops after pending requests',
  async (_kind, create) => {
    const { database, token, code, env } = await prepareDatabase(await create());
    const server = runServer({ ...env, WEB_CONCURRENCY: String(WORKERS) });
    const url = `http://127.0.0.1:${await server.listening}`;
    const load = startLoad({ urls: [url], token, code, prefix: 'one', visitors: 8, buyers: 6 });
    for (let round = 0; round < KILLS; round++) {
      await load.acknowledged(load.lines.length + BATCH);
      const [victim, ...rest] = workersOf(server);
      if (victim === undefined) throw new Error('The server has no worker to kill');
      process.kill(victim, 'SIGKILL');
      await expect
        .poll(() => workersOf(server).filter((pid) => ![victim, ...rest].includes(pid)))
        .toHaveLength(1);
    }
    await load.acknowledged(load.lines.length + BATCH);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(server.stdout.filter((line) => line.includes('worker exited'))).toHaveLength(KILLS);
    await load.stop();
    // When a process exits, only broken connections (0) and 503 are expected.
    expect([...load.failures.keys()].filter((status) => status !== 0 && status !== 503)).toEqual([]);
    await expectConsistent(database, load.lines);
    await expectJobsRanOnce(database);
  },
);

test('workers exit when the primary process is killed', async () => {
  const { env } = await prepareDatabase(join(makeTempFolder(), 'affkit.db'));
  const server = runServer({ ...env, WEB_CONCURRENCY: '2' });
  await server.listening;
  const workers = workersOf(server);
  server.child.kill('SIGKILL');
  await expect.poll(() => workers.filter(isRunning)).toEqual([]);
});
