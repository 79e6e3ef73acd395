import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sqliteEngine } from '@affkit/core/sqlite';
import { expect, test } from 'vitest';
import { createRandom } from '../../core/test/support/create-random.ts';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { makeWorld } from '../../core/test/support/world.ts';
import { runImport } from './retention-world.ts';

const DAY_MS = 86_400_000;
const CLICKS = 6_000;
const KILLS = byDepth({ short: 2, long: 60 });
const CLI = join(import.meta.dirname, '../src/cli.ts');

test(`a command that is killed ${KILLS} times loses no click, and the next run continues`, {
  timeout: 300_000 + KILLS * 10_000,
}, async () => {
  const folder = makeTempFolder();
  const path = join(folder, 'affkit.db');
  const archive = join(folder, 'archive');
  const world = await makeWorld(sqliteEngine({ path }), { cookie_window_days: 30 });
  world.clock.now = Date.now() - 400 * DAY_MS;
  await world.click('anna');
  // Insert copies of the click, spread over 90 days.
  await world.engine.write(1, async ({ db }) => {
    await sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CLICKS})
      INSERT INTO click_events (program_id, customer_id, link_id, partner_id, click_id, is_test, click_at, created_at)
      SELECT program_id, customer_id, link_id, partner_id, click_id || i, 0, click_at + i * 1296000, created_at + i * 1296000
      FROM click_events, n`.execute(db);
  });
  await world.affkit.jobs.runOnce();
  await world.affkit.close();
  const readClicks = async () => {
    const engine = sqliteEngine({ path });
    const { rows } = await sql`SELECT * FROM click_events ORDER BY id`.execute(engine.read);
    await engine.close();
    return rows;
  };
  const clicks = await readClicks();
  const run = (...words: string[]) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: `sqlite:${path}` };
    const args = ['--conditions=@affkit/source', CLI, 'retention', ...words];
    return spawn(process.execPath, args, { env, stdio: 'ignore' });
  };
  const clean = ['--clicks', '9mo', '--archive', archive];
  const random = createRandom(5);
  const startedAt = performance.now();
  const [firstCode] = await once(run('--clicks', '120mo'), 'close');
  expect(firstCode).toBe(0);
  const startMs = performance.now() - startedAt;
  for (let kill = 0; kill < KILLS; kill++) {
    const child = run(...clean);
    const closed = once(child, 'close');
    await Promise.race([closed, delay(startMs * (0.6 + random(100) / 100))]);
    child.kill('SIGKILL');
    await closed;
  }
  const [code] = await once(run(...clean), 'close');
  expect(code).toBe(0);
  expect(await readClicks()).toEqual([]);
  const engine = sqliteEngine({ path });
  expect(await runImport(engine, archive)).toMatchObject({ code: 0 });
  await engine.close();
  expect(await readClicks()).toEqual(clicks);
});
