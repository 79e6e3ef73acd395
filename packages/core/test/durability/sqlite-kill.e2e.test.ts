import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { byDepth } from '../support/test-depth.ts';
import { makeWorld } from '../support/world.ts';
import { findFaults, startLoad } from './load.ts';

const ROUNDS = byDepth({ short: 2, long: 30 });
const CLICKERS = 20;
const SELLERS = 6;

/** From the very first answer to some time under load, and over the same range again. */
const answersBeforeKill = (round: number) => 2 + ((round * 571) % 2500);

test(`a process killed under load has stored all that it acknowledged, once (${ROUNDS} times)`, {
  timeout: 60_000 + ROUNDS * 20_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-kill-'));
  const path = join(folder, 'affkit.db');
  const world = await makeWorld(sqliteEngine({ path }));
  await world.affkit.close();
  const plan = { database: path, token: world.token, code: 'anna', clickers: CLICKERS, sellers: SELLERS };
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const load = startLoad({ ...plan, prefix: `round-${round}` });
    await load.reached(answersBeforeKill(round));
    load.kill();
    expect(await load.ended).toBe('SIGKILL');
    acknowledged.push(...load.lines);

    const engine = sqliteEngine({ path });
    expect(await pragma(engine, 'integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(await pragma(engine, 'foreign_key_check')).toEqual([]);
    expect(await findFaults(engine, acknowledged)).toEqual([]);
    // What was stored without an answer was under way at one of the kills.
    const { clicks } = await engine.read
      .selectFrom('click_events')
      .select((select) => select.fn.countAll<number>().as('clicks'))
      .executeTakeFirstOrThrow();
    const answered = acknowledged.filter((line) => line.startsWith('click ')).length;
    expect(clicks - answered).toBeLessThanOrEqual((CLICKERS + SELLERS) * (round + 1));
    await engine.close();
  }
  rmSync(folder, { recursive: true });
});

test('of several processes on one file, each keeps what it acknowledged when one is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-kill-'));
  const path = join(folder, 'affkit.db');
  const world = await makeWorld(sqliteEngine({ path }));
  await world.affkit.close();
  const plan = { database: path, token: world.token, code: 'anna', clickers: 5, sellers: 2 };
  const loads = ['a', 'b', 'c'].map((prefix) => startLoad({ ...plan, prefix }));
  for (const load of loads) {
    // The others go on meanwhile.
    await Promise.all(
      loads.slice(loads.indexOf(load)).map((other) => other.reached(other.lines.length + 100)),
    );
    load.kill();
    expect(await load.ended).toBe('SIGKILL');
  }
  const engine = sqliteEngine({ path });
  const lines = loads.flatMap((load) => load.lines);
  expect(await findFaults(engine, lines)).toEqual([]);
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function pragma(engine: Engine, name: string): Promise<unknown[]> {
  return (await engine.read.executeQuery(CompiledQuery.raw(`PRAGMA ${name}`))).rows;
}
