import { expect, inject, test } from 'vitest';
import { createDatabase } from '../../core/test/support/postgres-server.ts';
import { startCrowd } from './crowd.ts';
import { runServer, type ServerProcess } from './server-process.ts';
import { expectExact, expectNoDoubleJobs, prepareDatabase } from './world.ts';

const SOME = 300;

test('of four servers on one Postgres two are killed and one is added: each event once, books exact, jobs done once', async () => {
  const { database, token, code, env } = await prepareDatabase(await createDatabase(inject('postgresUrl')));
  const servers = Array.from({ length: 4 }, () => runServer(env));
  const urlOf = async (server: ServerProcess) => `http://127.0.0.1:${await server.listening}`;
  const urls = await Promise.all(servers.map(urlOf));
  const crowd = startCrowd({ urls, token, code, prefix: 'one', visitors: 8, buyers: 8 });
  const kill = async (index: number) => {
    await crowd.reached(crowd.lines.length + SOME);
    servers[index]?.child.kill('SIGKILL');
    crowd.urls = crowd.urls.filter((url) => url !== urls[index]);
  };
  await kill(0);
  const added = runServer(env);
  crowd.urls = [...crowd.urls, await urlOf(added)];
  await kill(2);
  await crowd.reached(crowd.lines.length + SOME);
  await crowd.stop();
  // What was under way where a server was killed.
  expect([...crowd.refusals.keys()].filter((status) => status !== 0)).toEqual([]);
  for (const server of [servers[1], servers[3], added]) {
    server?.child.kill('SIGTERM');
    expect(await server?.exited).toBe(0);
  }
  await expectExact(database, crowd.lines);
  await expectNoDoubleJobs(database);
});
