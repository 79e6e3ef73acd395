import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, OutcomeUnknown } from '../../src/storage/database/engine/engine.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { byDepth } from '../support/test-depth.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeWorld } from '../support/world.ts';
import { findInconsistencies, type Load, startLoad } from './load.ts';
import type { LoadPlan } from './load-process.ts';
import { openDatabase } from './open-database.ts';

const ROUNDS = byDepth({ short: 1, long: 30 });
const CLICKERS = 20;
const SELLERS = 6;
const timeout = 300_000 + ROUNDS * 20_000;

/** Returns the number of requests before the kill. The number varies by round, from almost none to thousands. */
const linesBeforeKill = (round: number) => 2 + (((round + 1) * 571) % 2500);

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server.stop());

async function makePlan(): Promise<Omit<LoadPlan, 'prefix'>> {
  const database = await server.createDatabase();
  const world = await makeWorld(openDatabase(database));
  await world.affkit.close();
  return { database, token: world.token, code: 'anna', clickers: CLICKERS, sellers: SELLERS };
}

/** Counts the clicks that were stored but not acknowledged, because they were in flight at a kill. */
async function countUnacknowledged(engine: Engine, lines: readonly string[]): Promise<number> {
  const { clicks } = await engine.read
    .selectFrom('click_events')
    .select((select) => select.fn.countAll<number>().as('clicks'))
    .executeTakeFirstOrThrow();
  return clicks - lines.filter((line) => line.startsWith('click ')).length;
}

test(`stores each acknowledged request once when a process is killed under load (${ROUNDS} rounds)`, {
  timeout,
}, async () => {
  const plan = await makePlan();
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const load = startLoad({ ...plan, prefix: `round-${round}` });
    await load.waitForLines(linesBeforeKill(round));
    load.kill();
    expect(await load.exited).toBe('SIGKILL');
    acknowledged.push(...load.lines);

    const engine = openDatabase(plan.database);
    expect(await findInconsistencies(engine, acknowledged)).toEqual([]);
    expect(await countUnacknowledged(engine, acknowledged)).toBeLessThanOrEqual(
      (CLICKERS + SELLERS) * (round + 1),
    );
    await engine.close();
  }
});

test(`callers see no errors when the server is killed under load and restarted (${ROUNDS} rounds)`, {
  timeout,
}, async () => {
  const plan = await makePlan();
  const load = startLoad({ ...plan, prefix: 'outlives' });
  for (let round = 0; round < ROUNDS; round++) {
    await load.waitForLines(load.lines.length + linesBeforeKill(round));
    await server.kill();
    const before = load.lines.length;
    await server.restart();
    // Wait for more new lines than the maximum number of requests in flight. Some of these lines then belong to
    // requests that began after the restart.
    await load.waitForLines(before + 2 * (CLICKERS + SELLERS));
  }
  await endLoad(load);
  const engine = openDatabase(plan.database);
  expect(await findInconsistencies(engine, load.lines)).toEqual([]);
  expect(await countUnacknowledged(engine, load.lines)).toBeLessThanOrEqual(CLICKERS + SELLERS);
  await engine.close();
});

test(`stores fulfilled writes once and no rejected write while the server is killed (${ROUNDS} rounds)`, {
  timeout,
}, async () => {
  const connectionString = await server.createDatabase();
  const engine = postgresEngine({ connectionString, reconnectTimeoutMs: 0, commitOutcomeTimeoutMs: 0 });
  await engine.migrate();
  await engine.write(1, (tx) => sql`CREATE TABLE things (name TEXT)`.execute(tx.db));
  const names: Record<'stored' | 'rejected' | 'unknown', string[]> = {
    stored: [],
    rejected: [],
    unknown: [],
  };
  const write = async (lane: number | 'clicks', name: string) => {
    try {
      await engine.write(lane, (tx) => sql`INSERT INTO things VALUES (${name})`.execute(tx.db));
      names.stored.push(name);
    } catch (error) {
      names[error instanceof OutcomeUnknown ? 'unknown' : 'rejected'].push(name);
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    let isOver = false;
    const writers = [0, 1, 2, 'clicks' as const].flatMap((lane) =>
      Array.from({ length: 2 }, async (_, writer) => {
        for (let turn = 0; !isOver; turn++) {
          await write(lane, `${round} ${lane} ${writer} ${turn}`);
          // Without this pause, writes that reject immediately would block the event loop.
          await nextTurn();
        }
      }),
    );
    const before = { stored: names.stored.length, rejected: names.rejected.length };
    await waitUntil(() => names.stored.length > before.stored + linesBeforeKill(round) / 5);
    await server.kill();
    await waitUntil(() => names.rejected.length > before.rejected);
    await server.restart();
    const afterRestart = names.stored.length;
    await waitUntil(() => names.stored.length > afterRestart);
    isOver = true;
    await Promise.all(writers);
  }
  const { rows } = await sql<{ name: string }>`SELECT name FROM things`.execute(engine.read);
  await engine.close();
  const inDatabase = rows.map((row) => row.name).sort();
  const unknown = new Set(names.unknown);
  expect(inDatabase.filter((name) => !unknown.has(name))).toEqual(names.stored.sort());
  expect(new Set(inDatabase).size).toBe(inDatabase.length);
});

async function endLoad(load: Load): Promise<void> {
  load.kill();
  // If a request had failed, the process would have exited before the kill.
  expect(await load.exited).toBe('SIGKILL');
}
