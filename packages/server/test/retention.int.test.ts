import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  countMonth,
  isoMonth,
  listDueMonths,
  monthOf,
  rebuildBreakdowns,
  rebuildTotals,
  removeMonth,
} from '@affkit/core';
import { describe, expect, test } from 'vitest';
import { sqliteKinds } from '../../core/test/support/engine-kinds.ts';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { makeWorld, START } from '../../core/test/support/world.ts';
import { runBreakdowns } from '../src/commands/breakdowns-command.ts';
import type { CommandOutput } from '../src/commands/command-result.ts';
import { verifyLedgerCommand } from '../src/commands/ledger-command.ts';
import { importArchives } from '../src/commands/retention/import-command.ts';
import { runRetention } from '../src/commands/retention/retention-command.ts';
import {
  DUE,
  expectConsistent,
  FIRST_MONTH,
  KEPT_MONTHS,
  kinds,
  listClicks,
  NOW,
  openPartitioned,
  readClicks,
  readFigures,
  readTraces,
  recordHistory,
  runCommand,
  runImport,
  SEEDS,
  startOfMonth,
} from './retention-world.ts';

describe.each(Object.entries(kinds))('retention on %s', (_name, open) => {
  test.each(SEEDS)(
    'changes no figure and keeps the traces of leads; an import restores all clicks (seed %i)',
    async (seed) => {
      const engine = await open();
      const { world, known, clickIds } = await recordHistory(engine, seed);
      await expectConsistent(world);
      const before = await readFigures(world);
      const clicks = await readClicks(engine);
      const traces = await readTraces(world, known);
      const allTraces = await readTraces(world, clickIds);
      const list = await listClicks(world);
      const folder = makeTempFolder();

      expect(await runCommand(engine, folder)).toMatchObject({ code: 0 });
      const kept = await readClicks(engine);
      expect(kept.length).toBeLessThan(clicks.length - DUE);
      expect(clicks).toEqual(expect.arrayContaining(kept));
      expect(await readFigures(world)).toEqual(before);
      expect(await readTraces(world, known)).toEqual(traces);
      await expectConsistent(world);
      expect(await rebuildTotals({ engine }, world.program.id)).toBe(0);
      expect(await rebuildBreakdowns({ engine }, world.program.id)).toBe(0);
      expect(await readFigures(world)).toEqual(before);

      const completeFrom = startOfMonth(FIRST_MONTH + DUE);
      const listed = await listClicks(world);
      const expected = clicks.filter((row) => Number((row as { click_at: number }).click_at) >= completeFrom);
      expect(listed).toEqual({
        ids: list.ids.slice(0, expected.length),
        total: expected.length,
        from: new Date(completeFrom).toISOString(),
      });
      expect((await listClicks(world, '&dateTo=2026-08-15')).total).toBe(0);
      expect(await runCommand(engine, folder)).toEqual({ code: 0, lines: ['No month is due for removal'] });

      expect(await runImport(engine, folder)).toMatchObject({ code: 0 });
      expect(await readClicks(engine)).toEqual(clicks);
      expect(await readTraces(world, clickIds)).toEqual(allTraces);
      expect(await listClicks(world)).toEqual(list);
      expect(await readFigures(world)).toEqual(before);
      await expectConsistent(world);
      expect(await runImport(engine, folder)).toMatchObject({ code: 0 });
      expect(await readClicks(engine)).toEqual(clicks);
      await engine.close();
    },
  );

  test('a trace says that the first clicks were removed, and does not call a later click the first visit', async () => {
    const engine = await open();
    const world = await makeWorld(engine, { cookie_window_days: 30, attribution_model: 'first_click' });
    world.clock.now = startOfMonth(FIRST_MONTH);
    const clickId = await world.click('anna');
    await world.affkit.jobs.runOnce();
    world.clock.now = NOW;
    await world.affkit.jobs.runOnce();
    expect(await runCommand(engine, null)).toMatchObject({ code: 0 });
    expect(await readClicks(engine)).toEqual([]);
    await world.click('ben', { existing_click_id: clickId });
    const traces = (await readTraces(world, [clickId])) as Record<string, { steps: { reason: string }[] }>;
    expect(traces[clickId]?.steps.map(({ reason }) => reason)).toEqual([
      'clicks_removed',
      'click_after_removed_clicks',
      'no_sale_reported',
    ]);
    await engine.close();
  });

  test('removes no click before it is counted, and continues what an earlier run began', async () => {
    const engine = await open();
    const world = await makeWorld(engine, { cookie_window_days: 30 });
    world.clock.now = startOfMonth(FIRST_MONTH);
    for (let count = 0; count < 3; count++) await world.click('anna');
    const folder = makeTempFolder();
    expect(await runCommand(engine, folder)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('some clicks are not in the totals yet')],
    });
    expect(readdirSync(folder)).toEqual([]);
    world.clock.now = NOW;
    await world.affkit.jobs.runOnce();
    await engine.write(1, ({ db }) =>
      db
        .insertInto('removed_months')
        .values({
          month: FIRST_MONTH,
          ends_at: startOfMonth(FIRST_MONTH + 1),
          clicks: 3,
          archive_sha256: 'abc',
          started_at: NOW,
          removed_at: null,
        })
        .execute(),
    );
    expect(await runCommand(engine, null)).toMatchObject({ code: 1 });
    expect(await runCommand(engine, folder)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('Its archive is not in ')],
    });
    expect(await readClicks(engine)).toHaveLength(3);
    await engine.write(1, ({ db }) =>
      db.updateTable('removed_months').set({ archive_sha256: null }).execute(),
    );
    expect(await runCommand(engine, null)).toMatchObject({ code: 0 });
    expect(await readClicks(engine)).toEqual([]);
    await engine.close();
  });

  test('an import refuses damaged and foreign archives before it stores a click', async () => {
    const engine = await open();
    const { world } = await recordHistory(engine, 3);
    const folder = makeTempFolder();
    expect(await runCommand(engine, folder)).toMatchObject({ code: 0 });
    const kept = await readClicks(engine);
    const month = isoMonth(FIRST_MONTH + 4);
    const paths = {
      data: join(folder, `clicks-${month}.ndjson.zst`),
      manifest: join(folder, `clicks-${month}.json`),
    };
    const data = readFileSync(paths.data);
    const manifest = readFileSync(paths.manifest, 'utf8');
    const refuse = async (message: string) => {
      expect(await runImport(engine, folder)).toEqual({ code: 1, lines: [expect.stringContaining(message)] });
      expect(await readClicks(engine)).toEqual(kept);
      writeFileSync(paths.data, data);
      writeFileSync(paths.manifest, manifest);
    };
    writeFileSync(paths.data, data.subarray(0, data.length - 5));
    await refuse(`${month}.ndjson.zst`);
    writeFileSync(paths.data, Buffer.from(data).fill(0, 20, 24));
    await refuse(`${month}.ndjson.zst`);
    writeFileSync(paths.manifest, manifest.replace(/"installation": "\w+/, '"installation": "x'));
    await refuse('was archived by another installation');
    const workspace = `"workspace_id": ${world.workspaceId}`;
    writeFileSync(paths.manifest, manifest.replace(workspace, '"workspace_id": 99'));
    await refuse('of workspace 99, but the program belongs to workspace');
    writeFileSync(paths.manifest, manifest.replace('"format": 1', '"format": 2'));
    await refuse('is not a manifest of format 1');
    await engine.close();
  });
});

test('reports a folder that cannot be used, and removes no click', async () => {
  const engine = await (sqliteKinds['SQLite on disk'] ?? openPartitioned)();
  const { world } = await recordHistory(engine, 7);
  const clicks = await readClicks(engine);
  const file = join(makeTempFolder(), 'file');
  writeFileSync(file, '');
  expect(await runCommand(engine, file)).toEqual({
    code: 1,
    lines: [
      expect.stringMatching(new RegExp(`^${isoMonth(FIRST_MONTH)}: ${file}.* cannot be used: ENOTDIR`)),
    ],
  });
  expect(await readClicks(engine)).toEqual(clicks);
  await world.affkit.close();
});

test('the removal of months, the import of archives, and the checks return data and report progress', async () => {
  const engine = await (sqliteKinds['SQLite on disk'] ?? openPartitioned)();
  const { world } = await recordHistory(engine, 7);
  const folder = makeTempFolder();
  const shown = new Map<string, number[]>();
  const output: CommandOutput = {
    printLine: () => {},
    progress: { show: (task, fraction) => void shown.set(task, [...(shown.get(task) ?? []), fraction]) },
  };
  const options = { months: KEPT_MONTHS, folder, now: NOW };
  const months = Array.from({ length: DUE }, (_, index) => isoMonth(FIRST_MONTH + index));
  const removed = await runRetention(engine, options, output);
  expect(removed).toMatchObject({
    exitCode: 0,
    data: {
      removed: months.map((month) => ({ month, archive: `clicks-${month}.ndjson.zst` })),
      error: null,
    },
  });
  expect((await importArchives(engine, folder, output)).data).toEqual({
    imported: months.map((month) => ({ month, clicks: expect.any(Number), isComplete: true })),
    correctedTotals: 0,
  });
  const programs = { action: 'check', programId: world.program.id } as const;
  await runBreakdowns(engine, programs, output);
  const verified = await verifyLedgerCommand(engine, null, output);
  expect(verified.data).toMatchObject({
    consistent: true,
    commissions: expect.toSatisfy((count) => count > 0),
  });

  expect([...shown.keys()]).toEqual([
    ...months.flatMap((month) => [`Archiving ${month}`, `Removing ${month}`]),
    'Verifying the archives',
    ...months.map((month) => `Importing ${month}`),
    `Counting the breakdowns of program ${world.program.id}`,
    `Program ${world.program.id}, 1 of 1`,
    'Verifying the ledger',
  ]);
  for (const [task, fractions] of shown) {
    expect(fractions, task).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.at(-1), task).toBeGreaterThanOrEqual(0);
    expect(fractions.at(-1), task).toBeLessThanOrEqual(1);
  }
  for (const task of [`Archiving ${months[0]}`, `Importing ${months[0]}`, 'Verifying the ledger']) {
    expect(shown.get(task)?.at(-1), task).toBe(1);
  }
  await engine.close();
});

test('removes the temporary files of killed runs, but not those of a concurrent run', async () => {
  const engine = await (sqliteKinds['SQLite on disk'] ?? openPartitioned)();
  await recordHistory(engine, 3);
  const folder = makeTempFolder();
  const temporary = (name: string) => join(folder, `clicks-${isoMonth(FIRST_MONTH)}.ndjson.zst.${name}.tmp`);
  writeFileSync(temporary('killed'), 'x');
  utimesSync(temporary('killed'), 0, Date.now() / 1000 - 2 * 86_400);
  writeFileSync(temporary('running'), 'x');
  writeFileSync(join(folder, 'other.tmp'), 'x');
  expect(await runCommand(engine, folder)).toMatchObject({ code: 0 });
  const left = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
  expect(left).toEqual([basename(temporary('running')), 'other.tmp']);
  await engine.close();
});

test('a month is due for removal once its last day is old enough, and until its clicks are removed', async () => {
  const engine = await (sqliteKinds['SQLite on disk'] ?? openPartitioned)();
  const world = await makeWorld(engine);
  const first = monthOf(START);
  await world.click('anna');
  const due = async (now: number) =>
    (await listDueMonths({ engine }, { months: 2, now })).map(({ month }) => month);
  expect(await due(startOfMonth(first + 3) - 1)).toEqual([]);
  expect(await due(startOfMonth(first + 3))).toEqual([first]);
  const programs = await countMonth({ engine }, first);
  await removeMonth({ engine }, first, {
    months: 2,
    now: startOfMonth(first + 3),
    archiveSha256: null,
    programs,
  });
  expect(await due(startOfMonth(first + 3))).toEqual([]);
  await engine.close();
});
