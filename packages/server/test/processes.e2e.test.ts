import { expect, inject, test } from 'vitest';
import { createDatabase } from '../../core/test/support/postgres-server.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { expectConsistent, expectJobsRanOnce, prepareDatabase } from './database-fixture.ts';
import { startLoad } from './load.ts';
import { runServer, type ServerProcess } from './server-process.ts';

const BATCH = byDepth({ short: 75, long: 300 });

test('stores each event once and runs each job once while two of four servers are killed and one is added', async () => {
  const { database, token, code, env } = await prepareDatabase(await createDatabase(inject('postgresUrl')));
  const servers = Array.from({ length: 4 }, () => runServer(env));
  const urlOf = async (server: ServerProcess) => `http://127.0.0.1:${await server.listening}`;
  const urls = await Promise.all(servers.map(urlOf));
  const load = startLoad({ urls, token, code, prefix: 'one', visitors: 8, buyers: 8 });
  const kill = async (index: number) => {
    await load.acknowledged(load.lines.length + BATCH);
    servers[index]?.child.kill('SIGKILL');
    load.urls = load.urls.filter((url) => url !== urls[index]);
  };
  await kill(0);
  const added = runServer(env);
  load.urls = [...load.urls, await urlOf(added)];
  await kill(2);
  await load.acknowledged(load.lines.length + BATCH);
  await load.stop();
  // Requests may fail only if they were pending when their server was killed.
  expect([...load.failures.keys()].filter((status) => status !== 0)).toEqual([]);
  for (const server of [servers[1], servers[3], added]) {
    server?.child.kill('SIGTERM');
    expect(await server?.exited).toBe(0);
  }
  await expectConsistent(database, load.lines);
  await expectJobsRanOnce(database);
});
