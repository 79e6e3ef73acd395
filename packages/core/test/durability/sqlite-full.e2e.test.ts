import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { makeWorld } from '../support/world.ts';
import { findInconsistencies, startLoad } from './load.ts';

const MAX_FAILURES = 300;

/**
 * Runs a command with a file size limit, so that writes fail in the middle of a commit. The limit is one or
 * two megabytes, because the unit of `ulimit -f` depends on the shell.
 */
const WITH_FILE_SIZE_LIMIT = ['sh', '-c', 'ulimit -f 2000 && exec "$0" "$@"'];

test('stores acknowledged requests once, and failed ones not at all, when disk writes fail', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-full-'));
  const path = join(folder, 'affkit.db');
  const world = await makeWorld(sqliteEngine({ path }));
  await world.affkit.close();
  const plan = { database: path, token: world.token, code: 'anna', clickers: 20, sellers: 6 };

  const load = startLoad({ ...plan, prefix: 'full', maxFailures: MAX_FAILURES }, WITH_FILE_SIZE_LIMIT);
  expect(await load.exited).toBe('0');
  expect(load.lines.length).toBeGreaterThan(100);

  const afterwards = startLoad({ ...plan, prefix: 'space', limit: 100 });
  expect(await afterwards.exited).toBe('0');

  const engine = sqliteEngine({ path });
  const lines = [...load.lines, ...afterwards.lines];
  expect(await findInconsistencies(engine, lines)).toEqual([]);
  for (const [table, kind] of [
    ['click_events', 'click '],
    ['customers', 'click '],
    ['sales', 'sale '],
    ['refunds', 'refund '],
  ] as const) {
    const { stored } = await engine.read
      .selectFrom(table)
      .select((select) => select.fn.countAll<number>().as('stored'))
      .executeTakeFirstOrThrow();
    expect([table, stored]).toEqual([table, lines.filter((line) => line.startsWith(kind)).length]);
  }
  await engine.close();
  rmSync(folder, { recursive: true });
});
