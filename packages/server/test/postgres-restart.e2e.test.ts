import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../../core/test/support/postgres-server.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { expectConsistent, prepareDatabase } from './database-fixture.ts';
import { startLoad } from './load.ts';
import { runServer } from './server-process.ts';

const BATCH = byDepth({ short: 100, long: 400 });
const ROUNDS = byDepth({ short: 1, long: 3 });
/**
 * How long a round waits for failed requests. This is longer than the server's timeout to reconnect, but
 * shorter than its timeout for the outcome of a commit.
 */
const GIVE_UP_MS = 20_000;

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

test.each([
  ['killed', () => postgres.kill()],
  ['stopped', () => postgres.stopFast()],
])(
  'loses no acknowledged event and recovers when Postgres is %s under load and restarted',
  async (_how, terminate) => {
    const { database, token, code, env } = await prepareDatabase(await postgres.createDatabase());
    const server = runServer(env);
    const url = `http://127.0.0.1:${await server.listening}`;
    const load = startLoad({ urls: [url], token, code, prefix: 'one', visitors: 12, buyers: 6 });
    const hasFailed = () => (load.failures.get(503) ?? 0) >= 20;
    for (let round = 0; round < ROUNDS || !hasFailed(); round++) {
      await load.acknowledged(load.lines.length + BATCH);
      await terminate();
      // Wait until the server stops trying to reconnect. The first requests fail after several seconds, and later ones at
      // once. If every connection for writes has a commit in flight, requests wait for the outcome of these commits
      // instead. The timeout then ends this round, and the next round tries again.
      if (round > 0 && !hasFailed()) await Promise.race([load.failed(20), sleep(GIVE_UP_MS)]);
      await postgres.restart();
    }
    await load.acknowledged(load.lines.length + BATCH);
    await load.stop();
    // Check the log first, because these lines show why a status is not 503.
    expect(server.stdout.filter((line) => line.includes('"msg":"request failed"'))).toEqual([]);
    expect([...load.failures.keys()].filter((status) => status !== 503)).toEqual([]);
    expect(load.failures.get(503)).toBeGreaterThanOrEqual(20);
    expect(
      server.stdout.filter((line) => line.includes("answered 503: Can't connect to Postgres")),
    ).not.toEqual([]);
    await expectConsistent(database, load.lines);
  },
);
