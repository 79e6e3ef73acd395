import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../../core/test/support/postgres-server.ts';
import { startCrowd } from './crowd.ts';
import { runServer } from './server-process.ts';
import { expectExact, prepareDatabase } from './world.ts';

const SOME = 400;

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres.stop());

test.each([
  ['is killed', () => postgres.kill()],
  ['is stopped', () => postgres.stopFast()],
])(
  'a Postgres that %s under load and started again: nothing acknowledged is lost, and service goes on',
  {
    timeout: 240_000,
  },
  async (_how, end) => {
    const { database, token, code, env } = await prepareDatabase(await postgres.createDatabase());
    const server = runServer(env);
    const url = `http://127.0.0.1:${await server.listening}`;
    const crowd = startCrowd({ urls: [url], token, code, prefix: 'one', visitors: 12, buyers: 6 });
    for (let round = 0; round < 3; round++) {
      await crowd.reached(crowd.lines.length + SOME);
      await end();
      // Long enough away to be given up: the first are refused after some seconds, the others at once.
      if (round === 1) await crowd.refused(20);
      await postgres.restart();
    }
    await crowd.reached(crowd.lines.length + SOME);
    await crowd.stop();
    // What was no refusal says why.
    expect(server.stdout.filter((line) => line.includes('"msg":"request failed"'))).toEqual([]);
    expect([...crowd.refusals.keys()].filter((status) => status !== 503)).toEqual([]);
    expect(crowd.refusals.get(503)).toBeGreaterThanOrEqual(20);
    expect(
      server.stdout.filter((line) => line.includes("answered 503: Can't connect to Postgres")),
    ).not.toEqual([]);
    await expectExact(database, crowd.lines);
  },
);
