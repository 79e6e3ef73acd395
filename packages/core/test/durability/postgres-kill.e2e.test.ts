import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../src/storage/engine/engine.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { makeWorld } from '../world.ts';
import { findFaults, type Load, startLoad } from './load.ts';
import type { LoadPlan } from './load-process.ts';
import { openDatabase } from './open-database.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 3);
const CLICKERS = 20;
const SELLERS = 6;
const timeout = 60_000 + ROUNDS * 20_000;

/** From the very first answer to some time under load, and over the same range again. */
const answersBeforeKill = (round: number) => 2 + ((round * 571) % 2500);

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

/** What was stored without an answer was under way at one of the kills. */
async function countUnanswered(engine: Engine, lines: readonly string[]): Promise<number> {
  const { clicks } = await engine.read
    .selectFrom('click_events')
    .select((select) => select.fn.countAll<number>().as('clicks'))
    .executeTakeFirstOrThrow();
  return clicks - lines.filter((line) => line.startsWith('click ')).length;
}

test(`a process killed under load has stored all that it acknowledged, once (${ROUNDS} times)`, {
  timeout,
}, async () => {
  const plan = await makePlan();
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const load = startLoad({ ...plan, prefix: `round-${round}` });
    await load.reached(answersBeforeKill(round));
    load.kill();
    expect(await load.ended).toBe('SIGKILL');
    acknowledged.push(...load.lines);

    const engine = openDatabase(plan.database);
    expect(await findFaults(engine, acknowledged)).toEqual([]);
    expect(await countUnanswered(engine, acknowledged)).toBeLessThanOrEqual(
      (CLICKERS + SELLERS) * (round + 1),
    );
    await engine.close();
  }
});

test(`a server killed under load comes back, and callers notice nothing but a pause (${ROUNDS} times)`, {
  timeout,
}, async () => {
  const plan = await makePlan();
  const load = startLoad({ ...plan, prefix: 'outlives' });
  for (let round = 0; round < ROUNDS; round++) {
    await load.reached(load.lines.length + answersBeforeKill(round));
    await server.kill();
    const before = load.lines.length;
    await server.restart();
    // More answers than could have been on their way already.
    await load.reached(before + 2 * (CLICKERS + SELLERS));
  }
  await endLoad(load);
  const engine = openDatabase(plan.database);
  expect(await findFaults(engine, load.lines)).toEqual([]);
  expect(await countUnanswered(engine, load.lines)).toBeLessThanOrEqual(CLICKERS + SELLERS);
  await engine.close();
});

async function endLoad(load: Load): Promise<void> {
  load.kill();
  // A caller that had an error would have ended the process before.
  expect(await load.ended).toBe('SIGKILL');
}
