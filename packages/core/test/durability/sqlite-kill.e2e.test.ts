import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { byDepth } from '../support/test-depth.ts';
import { makeWorld } from '../support/world.ts';
import { findInconsistencies, startLoad } from './load.ts';

const ROUNDS = byDepth({ short: 1, long: 30 });
const CLICKERS = 20;
const SELLERS = 6;

/** Returns the number of requests before the kill. The number varies by round, from almost none to thousands. */
const linesBeforeKill = (round: number) => 2 + (((round + 1) * 571) % 2500);

test(`stores each acknowledged request once when a process is killed under load (${ROUNDS} rounds)`, {
  timeout: 300_000 + ROUNDS * 20_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-kill-'));
  const path = join(folder, 'affkit.db');
  const world = await makeWorld(sqliteEngine({ path }));
  await world.affkit.close();
  const plan = { database: path, token: world.token, code: 'anna', clickers: CLICKERS, sellers: SELLERS };
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const load = startLoad({ ...plan, prefix: `round-${round}` });
    await load.waitForLines(linesBeforeKill(round));
    load.kill();
    expect(await load.exited).toBe('SIGKILL');
    acknowledged.push(...load.lines);

    const engine = sqliteEngine({ path });
    expect(await pragma(engine, 'integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(await pragma(engine, 'foreign_key_check')).toEqual([]);
    expect(await findInconsistencies(engine, acknowledged)).toEqual([]);
    // Clicks that were stored but not acknowledged were in flight at one of the kills.
    const { clicks } = await engine.read
      .selectFrom('click_events')
      .select((select) => select.fn.countAll<number>().as('clicks'))
      .executeTakeFirstOrThrow();
    const acknowledgedClicks = acknowledged.filter((line) => line.startsWith('click ')).length;
    expect(clicks - acknowledgedClicks).toBeLessThanOrEqual((CLICKERS + SELLERS) * (round + 1));
    await engine.close();
  }
  rmSync(folder, { recursive: true });
});

test('several processes on one file lose no acknowledged request when they are killed one by one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-kill-'));
  const path = join(folder, 'affkit.db');
  const world = await makeWorld(sqliteEngine({ path }));
  await world.affkit.close();
  const plan = { database: path, token: world.token, code: 'anna', clickers: 5, sellers: 2 };
  const loads = ['a', 'b', 'c'].map((prefix) => startLoad({ ...plan, prefix }));
  for (const load of loads) {
    // The remaining processes keep running.
    await Promise.all(
      loads.slice(loads.indexOf(load)).map((other) => other.waitForLines(other.lines.length + 100)),
    );
    load.kill();
    expect(await load.exited).toBe('SIGKILL');
  }
  const engine = sqliteEngine({ path });
  const lines = loads.flatMap((load) => load.lines);
  expect(await findInconsistencies(engine, lines)).toEqual([]);
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function pragma(engine: Engine, name: string): Promise<unknown[]> {
  return (await engine.read.executeQuery(CompiledQuery.raw(`PRAGMA ${name}`))).rows;
}
