import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Engine, isoMonth } from '@affkit/core';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { DAY } from '../../core/test/support/payout-world.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import { makeWorld, type World } from '../../core/test/support/world.ts';
import { runRetention } from '../src/commands/retention/retention-command.ts';
import {
  expectConsistent,
  FIRST_MONTH,
  KEPT_MONTHS,
  kinds,
  openPartitioned,
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
    const folder = makeTempFolder();
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
    const { engine, workspaceId } = world;
    const folder = makeTempFolder();
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
    });
    await markAsImported(world, world.clock.now);
    expect(await runIn(world, VISITED_MONTHS + 8, folder)).toEqual(['No month is due for removal']);
    expect(await readClicks(engine)).toMatchObject([{ id: first?.id }]);
    await engine.close();
  });

  test('stay if their month has no archive, even if the run writes archives', async () => {
    const world = await recordVisits(await open());
    const { engine } = world;
    await runIn(world, KEPT_MONTHS + 1, null);
    expect(await readClicks(engine)).toHaveLength(2 * VISITED_MONTHS);
    const folder = makeTempFolder();
    await runIn(world, VISITED_MONTHS + 8, folder);
    expect(await readClicks(engine)).toHaveLength(2);
    await runIn(world, VISITED_MONTHS + 8, null);
    expect(await readClicks(engine)).toEqual([]);
    await engine.close();
  });

  test('include the clicks of an imported archive from which a person was deleted', async () => {
    const world = await recordVisits(await open());
    const { engine } = world;
    const folder = makeTempFolder();
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

describe('an import during the removal of a partition', () => {
  test('stops the removal if it begins after the clicks to keep were copied', async () => {
    const world = await recordVisits(await openPartitioned());
    const { engine } = world;
    const clicks = await readClicks(engine);
    const maintain: Engine['maintain'] = async (work, onWait) => {
      const result = await engine.maintain(work, onWait);
      await markAsImported(world, null);
      return result;
    };
    const options = { months: KEPT_MONTHS, folder: null, now: startOfMonth(FIRST_MONTH + 12) };
    const { code, stdout } = await captureCommand((output) =>
      runRetention({ ...engine, maintain }, options, output),
    );
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('An import') });
    expect(await readClicks(engine)).toEqual(clicks);
    await engine.close();
  });

  test('keeps its clicks if an interrupted removal, whose archive does not contain them, is continued', async () => {
    const world = await recordVisits(await openPartitioned());
    const { engine } = world;
    const clicks = (await readClicks(engine)) as { click_at: number }[];
    const folder = makeTempFolder();
    const maintain = () => Promise.reject(new Error('killed'));
    const options = { months: KEPT_MONTHS, folder, now: startOfMonth(FIRST_MONTH + 12) };
    const killed = await captureCommand((output) => runRetention({ ...engine, maintain }, options, output));
    expect(killed.stderr).toContain('killed');
    await markAsImported(world, options.now + 1);
    const later = { ...options, now: options.now + DAY };
    const { code } = await captureCommand((output) => runRetention(engine, later, output));
    expect(code).toBe(0);
    // The archives of the other months were written after the import, so they contain its clicks.
    const ofFirstMonth = clicks.filter(({ click_at }) => click_at < startOfMonth(FIRST_MONTH + 1));
    expect(await readClicks(engine)).toEqual(ofFirstMonth);
    await engine.close();
  });
});

/** Marks the program as imported. `finishedAt` is null if the import is not finished. */
async function markAsImported(
  { engine, workspaceId, program, clock }: World,
  finishedAt: number | null,
): Promise<void> {
  await engine.write(workspaceId, async ({ db }) => {
    await db
      .insertInto('program_imports')
      .values({
        export_id: 'later',
        workspace_id: workspaceId,
        program_id: program.id,
        offsets: '{}',
        table_name: null,
        rows_done: 0,
        started_at: clock.now,
        finished_at: finishedAt,
      })
      .execute();
  });
}

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
