import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../core/test/support/postgres-server.ts';
import { isRunning, listChildren } from '../../core/test/support/processes.ts';
import { NODE_FLAGS } from '../src/node-flags.ts';
import { startCrowd } from './crowd.ts';
import { runServer, type ServerProcess } from './server-process.ts';
import { expectExact, expectNoDoubleJobs, prepareDatabase } from './world.ts';

const WORKERS = 3;
const SOME = 150;
/** A bound for what hangs. */
const SOON = { timeout: 60_000 };

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-workers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function workersOf({ child }: ServerProcess): number[] {
  if (child.pid === undefined) throw new Error('The server was not started');
  return listChildren(child.pid);
}

/** What all workers have counted, by one of them. */
async function readCount(server: ServerProcess, route: string): Promise<number> {
  const text = await (await server.send('/metrics')).text();
  const lines = text.split('\n').filter((line) => line.startsWith('affkit_http_requests_total'));
  return lines
    .filter((line) => line.includes(`route="${route}"`))
    .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
}

test('on a new database several workers serve one port, say so once, and show one password', async () => {
  const server = runServer({
    DATABASE_URL: `sqlite:${makeFolder()}/data/affkit.db`,
    WEB_CONCURRENCY: String(WORKERS),
  });
  await server.listening;
  expect(workersOf(server)).toHaveLength(WORKERS);
  const [, email, password] = /sign in as (\S+) with the password (\S+) /.exec(server.stdout[0] ?? '') ?? [];
  // The one secret that they share is what makes a session of one good for the others.
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
  expect(server.stdout).toHaveLength(2);
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
});

test('every worker gets NODE_FLAGS, and the flags of the command line override them', async () => {
  const printFlags = 'data:text/javascript,console.error(JSON.stringify(process.execArgv))';
  const flags = ['--max-semi-space-size=64', `--import=${printFlags}`];
  const server = runServer(
    { DATABASE_URL: `sqlite:${makeFolder()}/affkit.db`, WEB_CONCURRENCY: '2' },
    { nodeFlags: flags },
  );
  await server.listening;
  const [ofPrimary, ...ofWorkers] = server.stderr.map((line) => JSON.parse(line) as string[]);
  expect(ofPrimary?.slice(-2)).toEqual(flags);
  const expected = [...NODE_FLAGS, ...(ofPrimary ?? [])];
  expect(ofWorkers).toEqual([expected, expected]);
});

test('what a worker can not start with ends all with code 1 and one line', async () => {
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
  ['a SQLite file', async () => join(makeFolder(), 'affkit.db')],
])(
  'on %s a worker that is killed is replaced, the books stay exact, and a stop lets all finish',
  async (_kind, create) => {
    const { database, token, code, env } = await prepareDatabase(await create());
    const server = runServer({ ...env, WEB_CONCURRENCY: String(WORKERS) });
    const url = `http://127.0.0.1:${await server.listening}`;
    const crowd = startCrowd({ urls: [url], token, code, prefix: 'one', visitors: 8, buyers: 6 });
    for (let round = 0; round < 2; round++) {
      await crowd.reached(crowd.lines.length + SOME);
      const [victim, ...rest] = workersOf(server);
      if (victim === undefined) throw new Error('The server has no worker to kill');
      process.kill(victim, 'SIGKILL');
      await expect
        .poll(() => workersOf(server).filter((pid) => ![victim, ...rest].includes(pid)), SOON)
        .toHaveLength(1);
    }
    await crowd.reached(crowd.lines.length + SOME);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(server.stdout.filter((line) => line.includes('a worker ended'))).toHaveLength(2);
    await crowd.stop();
    // Where a process dies or ends, its connections break; nothing else goes wrong.
    expect([...crowd.refusals.keys()].filter((status) => status !== 0 && status !== 503)).toEqual([]);
    await expectExact(database, crowd.lines);
    await expectNoDoubleJobs(database);
  },
);

test('workers end when the process that holds them is killed', async () => {
  const { env } = await prepareDatabase(join(makeFolder(), 'affkit.db'));
  const server = runServer({ ...env, WEB_CONCURRENCY: '2' });
  await server.listening;
  const workers = workersOf(server);
  server.child.kill('SIGKILL');
  await expect.poll(() => workers.filter(isRunning), SOON).toEqual([]);
});
