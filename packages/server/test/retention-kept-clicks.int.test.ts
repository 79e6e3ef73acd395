import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Engine, isoMonth } from '@affkit/core';
import { describe, expect, test } from 'vitest';
import { DAY } from '../../core/test/support/payout-world.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import { makeWorld, type World } from '../../core/test/support/world.ts';
import { runRetention } from '../src/commands/retention/retention-command.ts';
import {
  expectConsistent,
  FIRST_MONTH,
  KEPT_MONTHS,
  kinds,
  makeFolder,
  readClicks,
  readFigures,
  runImport,
  startOfMonth,
} from './retention-world.ts';
import { captureCommand } from './run-cli.ts';

const VISITED_MONTHS = 4;
const name = isoMonth(FIRST_MONTH);

describe.each(Object.entries(kinds))('clicks that retention keeps at first on %s', (_name, open) => {
  test('are removed by later runs when the attribution windows of their customers have closed', async () => {
    const world = await recordVisits(await open());
    const { engine } = world;
    const clicks = await readClicks(engine);
    const { tables } = await readFigures(world);
    const folder = makeFolder();
    const ranIn: string[][] = [];
    for (let month = VISITED_MONTHS + 1; month < VISITED_MONTHS + 8; month++) {
      ranIn.push(await runIn(world, month, folder));
    }
    expect(ranIn.flat().filter((line) => line.includes('had to keep'))).toEqual(
      Array.from(
        { length: VISITED_MONTHS },
        (_, index) => `${isoMonth(FIRST_MONTH + index)}: removed 2 clicks that an earlier run had to keep`,
      ),
    );
    expect(ranIn.at(-1)).toEqual(['No month is due for removal']);
    expect(await readClicks(engine)).toEqual([]);
    expect((await readFigures(world)).tables).toEqual(tables);
    await expectConsistent(world);
    expect(await runImport(engine, folder)).toMatchObject({ code: 0 });
    expect(await readClicks(engine)).toEqual(clicks);
    await expectConsistent(world);
    await engine.close();
  });

  test('stay if the archive of their month does not contain them', async () => {
    const world = await recordVisits(await open());
    const { engine, program, workspaceId } = world;
    const folder = makeFolder();
    await runIn(world, KEPT_MONTHS + 1, folder);
    const [first] = (await readClicks(engine)) as { id: number }[];
    await engine.write(workspaceId, async ({ db }) => {
      // An event may be stored long after it happened.
      await sql`UPDATE click_events SET created_at = ${world.clock.now + 1} WHERE id = ${first?.id}`.execute(
        db,
      );
    });
    const lines = await runIn(world, VISITED_MONTHS + 8, folder);
    expect(lines[0]).toBe(`${name}: removed 1 click that an earlier run had to keep`);
    expect(await readClicks(engine)).toMatchObject([{ id: first?.id }]);

    await engine.write(workspaceId, async ({ db }) => {
      await sql`UPDATE click_events SET created_at = click_at`.execute(db);
      await db
        .insertInto('program_imports')
        .values({
          export_id: 'later',
          workspace_id: workspaceId,
          program_id: program.id,
          offsets: '{}',
          table_name: null,
          rows_done: 0,
          started_at: world.clock.now,
          finished_at: world.clock.now,
        })
        .execute();
    });
    expect(await runIn(world, VISITED_MONTHS + 8, folder)).toEqual(['No month is due for removal']);
    expect(await readClicks(engine)).toMatchObject([{ id: first?.id }]);
    await engine.close();
  });

  test('are not removed without an archive by a run that archives', async () => {
    const world = await recordVisits(await open());
    const { engine } = world;
    await runIn(world, KEPT_MONTHS + 1, null);
    expect(await readClicks(engine)).toHaveLength(2 * VISITED_MONTHS);
    const folder = makeFolder();
    await runIn(world, VISITED_MONTHS + 8, folder);
    expect(await readClicks(engine)).toHaveLength(2);
    await runIn(world, VISITED_MONTHS + 8, null);
    expect(await readClicks(engine)).toEqual([]);
    await engine.close();
  });

  test('include the clicks of an imported archive from which a person was deleted', async () => {
    const world = await recordVisits(await open());
    const { engine } = world;
    const folder = makeFolder();
    await runIn(world, VISITED_MONTHS + 8, folder);
    expect(await readClicks(engine)).toEqual([]);
    deleteFirstLine(folder);
    expect(await runImport(engine, folder)).toMatchObject({ code: 0 });
    expect(await readClicks(engine)).toHaveLength(2 * VISITED_MONTHS - 1);
    await runIn(world, VISITED_MONTHS + 8, folder);
    expect(await readClicks(engine)).toEqual([]);
    await engine.close();
  });
});

/** Records two visitors in each month. Their attribution windows are open for 60 days. */
async function recordVisits(engine: Engine): Promise<World> {
  const world = await makeWorld(engine, { cookie_window_days: 60 });
  for (let month = 0; month < VISITED_MONTHS; month++) {
    world.clock.now = startOfMonth(FIRST_MONTH + month) + 20 * DAY;
    await world.click('anna');
    await world.click('ben');
  }
  await world.affkit.jobs.runOnce();
  return world;
}

/** Runs `affkit retention` on the second day of a month. @returns the printed lines */
async function runIn(world: World, month: number, folder: string | null): Promise<string[]> {
  world.clock.now = startOfMonth(FIRST_MONTH + month) + DAY;
  const options = { months: KEPT_MONTHS, folder, now: world.clock.now };
  const { code, stdout, stderr } = await captureCommand((output) =>
    runRetention(world.engine, options, output),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim().split('\n');
}

/** Deletes a click from the archive of the first month, as the docs describe it. */
function deleteFirstLine(folder: string): void {
  const paths = {
    data: join(folder, `clicks-${name}.ndjson.zst`),
    manifest: join(folder, `clicks-${name}.json`),
  };
  const [, ...lines] = zstdDecompressSync(readFileSync(paths.data)).toString().split('\n');
  const data = zstdCompressSync(lines.join('\n'));
  writeFileSync(paths.data, data);
  const manifest: object = JSON.parse(readFileSync(paths.manifest, 'utf8'));
  const changes = {
    rows: lines.length - 1,
    bytes: data.length,
    sha256: createHash('sha256').update(data).digest('hex'),
  };
  writeFileSync(paths.manifest, JSON.stringify({ ...manifest, ...changes }));
}
