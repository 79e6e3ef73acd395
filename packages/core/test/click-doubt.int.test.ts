import { sql } from 'kysely';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { postgresEngine } from '../src/storage/engine/postgres.ts';
import { createMigratedDatabase, dropDatabase } from './postgres-server.ts';
import { type CommitBytes, type Cut, startProxy, type TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';
import { makeWorld, type World } from './world.ts';

// Visits of people who are new go out as one statement, which is the whole transaction: its answer is that to a commit.
const WHOLE: CommitBytes = { asked: '"clickId":"', answered: 'SELECT 1\0' };

let url: string;
let proxy: TcpProxy;
let world: World;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  proxy = await startProxy(url);
  world = await makeWorld(postgresEngine({ connectionString: proxy.url }));
  // Everything is remembered from here on.
  await world.click('anna');
});

afterEach(async () => {
  await world.affkit.close();
  await proxy.close();
  await dropDatabase(url);
});

async function storedClicks(): Promise<string[]> {
  const rows = await world.engine.read.selectFrom('click_events').select('click_id').orderBy('id').execute();
  return rows.map((row) => row.click_id).slice(1);
}

async function expectStoredOnce(clicks: readonly Promise<string>[]): Promise<void> {
  expect((await storedClicks()).sort()).toEqual([...(await Promise.all(clicks))].sort());
}

test.each([
  ['before the server was told', 'before'],
  ['after the server has committed', 'after'],
] as const)('visits whose answer is lost %s are stored once, and answered so', async (_when, cut: Cut) => {
  proxy.cutNext(cut, WHOLE);
  const clicks = Array.from({ length: 3 }, () => world.click('anna'));
  await proxy.wasCut();
  await Promise.all(clicks);
  await expectStoredOnce(clicks);
});

test('visits of which the server is told late are stored once, and answered so', async () => {
  const direct = postgresEngine({ connectionString: url });
  const sessions = async () => {
    const { rows } = await sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend'`.execute(direct.read);
    return rows.map(({ pid }) => pid);
  };
  proxy.cutNext('late', WHOLE);
  const clicks = Array.from({ length: 3 }, () => world.click('anna'));
  await proxy.wasCut();
  await Promise.all(clicks);
  const before = await sessions();
  proxy.release();
  // Its session ends when the server has done what it was told.
  await until(async () => {
    const now = await sessions();
    return before.some((pid) => !now.includes(pid));
  });
  await direct.close();
  await expectStoredOnce(clicks);
});
