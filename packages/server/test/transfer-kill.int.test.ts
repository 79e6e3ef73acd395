import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sqliteEngine } from '@affkit/core/sqlite';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import {
  expectConsistent,
  openTarget,
  readProgramRecords,
  recordHistory,
  worldOfImport,
} from '../../core/test/support/transfer-world.ts';
import { waitUntil } from '../../core/test/support/wait-until.ts';
import { runExportCommand, runImportCommand } from './transfer-commands.ts';

const CLICKS = byDepth({ short: 15_000, long: 150_000 });
const KILLS = byDepth({ short: 2, long: 20 });
const CLI = join(import.meta.dirname, '../src/cli.ts');

test(`an import that is killed ${KILLS} times continues, and stores each row once`, {
  timeout: 300_000 + KILLS * 30_000,
}, async () => {
  const folder = makeTempFolder();
  const path = join(folder, 'target.db');
  const { world: source, clickIds } = await recordHistory(
    sqliteEngine({ path: join(folder, 'source.db') }),
    9,
    60,
  );
  await source.engine.write(1, async ({ db }) => {
    await sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CLICKS})
      INSERT INTO click_events (program_id, customer_id, link_id, partner_id, click_id, is_test, click_at, created_at)
      SELECT program_id, customer_id, link_id, partner_id, click_id, 0, click_at, created_at
      FROM (SELECT * FROM click_events LIMIT 1), n`.execute(db);
  });
  const archive = join(folder, 'export');
  const { code } = await runExportCommand(source.engine, {
    programId: source.program.id,
    folder: archive,
  });
  expect(code).toBe(0);
  const target = await openTarget(sqliteEngine({ path }), true, source.clock);
  const rowsDone = async () => {
    const { rows } = await sql<{ rows: number }>`SELECT COUNT(*) AS rows FROM click_events`.execute(
      target.engine.read,
    );
    return rows[0]?.rows ?? 0;
  };
  const run = () => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: `sqlite:${path}` };
    const args = ['--conditions=@affkit/source', CLI, 'import', archive, '--json'];
    return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  };
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = await rowsDone();
    const child = run();
    const closed = once(child, 'close');
    // Kill the process after it has stored some clicks, but not all.
    await waitUntil(async () => child.exitCode !== null || (await rowsDone()) > before);
    child.kill('SIGKILL');
    await closed;
    expect(await rowsDone()).toBeGreaterThan(before);
  }
  const visible = await target.engine.read
    .selectFrom('programs')
    .select('id')
    .where('deleted_at', 'is', null)
    .execute();
  expect(visible).toHaveLength(1);

  const { code: lastCode, result } = await runImportCommand(target.engine, {
    folder: archive,
    workspaceId: target.workspaceId,
  });
  expect(lastCode).toBe(0);
  expect(result).toMatchObject({ outcome: 'imported' });
  const moved = await worldOfImport(target, Number(result['program_id']), source);
  expect(await readProgramRecords(moved, clickIds)).toEqual(await readProgramRecords(source, clickIds));
  await expectConsistent(target);
  await source.affkit.close();
  await target.affkit.close();
});
