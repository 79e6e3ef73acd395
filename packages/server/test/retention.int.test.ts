import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkBreakdowns,
  checkTotals,
  countMonth,
  createAffkit,
  type Engine,
  isoMonth,
  listDueMonths,
  monthOf,
  rebuildBreakdowns,
  rebuildTotals,
  removeMonth,
  verifyLedger,
} from '@affkit/core';
import { postgresEngine } from '@affkit/core/postgres';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createRandom } from '../../core/test/support/create-random.ts';
import { postgresKinds, sqliteKinds } from '../../core/test/support/engine-kinds.ts';
import { createMigratedDatabase, dropDatabase } from '../../core/test/support/postgres-server.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import { SILENT } from '../../core/test/support/silent-logger.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { startTraffic } from '../../core/test/support/traffic.ts';
import { waitUntil } from '../../core/test/support/wait-until.ts';
import { makeWorld, SECRET, START, signInOwner, type World } from '../../core/test/support/world.ts';
import { importArchives } from '../src/retention/import-command.ts';
import { runRetention } from '../src/retention/retention-command.ts';

const DAY_MS = 86_400_000;
const startOfMonth = (month: number) => Date.UTC(Math.floor(month / 12), month % 12, 1);
const FIRST_MONTH = monthOf(START) + 1;
const MONTHS = 8;
const KEPT_MONTHS = 3;
const NOW = startOfMonth(FIRST_MONTH + MONTHS) + 10 * DAY_MS;
/** The number of months that are due. */
const DUE = MONTHS - KEPT_MONTHS;
const EVENTS_PER_MONTH = byDepth({ short: 12, long: 80 });
const SEEDS = byDepth({ short: [7], long: [7, 8, 9, 10] });

/** Opens a database whose clicks have a partition for each month of the test. */
async function openPartitioned(): Promise<Engine> {
  const url = await createMigratedDatabase(inject('postgresUrl'));
  const engine = postgresEngine({ connectionString: url });
  const first = startOfMonth(FIRST_MONTH);
  await engine.maintain(async ({ db }) => {
    for (const statement of [
      'ALTER TABLE click_events DETACH PARTITION click_events_history',
      'ALTER TABLE click_events DETACH PARTITION click_events_future',
      `ALTER TABLE click_events ATTACH PARTITION click_events_history FOR VALUES FROM (MINVALUE) TO (${first})`,
      `ALTER TABLE click_events ATTACH PARTITION click_events_future FOR VALUES FROM (${first}) TO (MAXVALUE)`,
    ]) {
      await sql.raw(statement).execute(db);
    }
  });
  await createAffkit({ engine, secret: SECRET, now: () => NOW, logger: SILENT }).jobs.runOnce();
  return {
    ...engine,
    close: async () => {
      await engine.close();
      await dropDatabase(url);
    },
  };
}

const kinds = { ...sqliteKinds, ...postgresKinds, 'Postgres with a partition per month': openPartitioned };

interface History {
  readonly world: World;
  /** Click ids of customers with a lead or a sale. */
  readonly known: Set<string>;
  readonly clickIds: string[];
}

/** Records random events, in time order, and runs the jobs as a server would. */
async function recordHistory(engine: Engine, seed: number): Promise<History> {
  const world = await makeWorld(engine, { cookie_window_days: 30 });
  const random = createRandom(seed);
  const known = new Set<string>();
  const clickIds: string[] = [];
  for (let month = FIRST_MONTH; month < FIRST_MONTH + MONTHS; month++) {
    for (let event = 0; event < EVENTS_PER_MONTH; event++) {
      world.clock.now =
        startOfMonth(month) + Math.floor(((event + random(100) / 100) * 27 * DAY_MS) / EVENTS_PER_MONTH);
      const code = random(2) === 0 ? 'anna' : 'ben';
      const earlier = clickIds[random(clickIds.length || 1)];
      const kind = random(10);
      if (kind < 6 || earlier === undefined) {
        const fields = {
          page_url: `https://shop.example/?aff=${code}&sub_id=s${random(3)}`,
          referrer: `https://r${random(4)}.example/\u2028`,
        };
        clickIds.push(await world.click(code, fields));
      } else if (kind < 8) {
        await world.click(code, { existing_click_id: earlier });
      } else {
        const customer_key = `key-${earlier}`;
        await world.track('lead', { click_id: earlier, customer_key });
        if (random(2) === 0)
          await world.track('sale', {
            transaction_id: `t-${month}-${event}`,
            amount_cents: 1000 + event,
            customer_key,
          });
        known.add(earlier);
      }
    }
    await world.affkit.jobs.runOnce();
  }
  world.clock.now = NOW;
  await world.affkit.jobs.runOnce();
  return { world, known, clickIds };
}

const FIGURES = [
  'daily_totals',
  'period_totals',
  'link_clicks',
  'link_totals',
  'breakdowns',
  'counters',
  'balances',
] as const;

/** Reads every stored total, and the figures of the API over all years. */
async function readFigures(world: World) {
  const { engine, call, program } = world;
  const tables: Record<string, string[]> = {};
  for (const table of FIGURES) {
    const { rows } = await sql`SELECT * FROM ${sql.table(table)}`.execute(engine.read);
    tables[table] = rows.map((row) => JSON.stringify(row)).sort();
  }
  const session = { ...(await signInOwner(world)) };
  const get = async (path: string) => (await call('GET', path, undefined, session)).body;
  const all = 'from=2026-01-01&to=2028-01-01';
  return {
    tables,
    performance: await get(`/api/tracking/performance/${program.id}?period=all`),
    sales: await get(`/api/tracking/events/${program.id}?eventType=conversion&pageSize=100`).then(
      ({ data }) => data,
    ),
    leads: await get(`/api/tracking/events/${program.id}?eventType=lead&pageSize=100`).then(
      ({ data }) => data,
    ),
    summary: await get(`/api/advertiser/summary?${all}`),
  };
}

async function readTraces(world: World, clickIds: Iterable<string>) {
  const session = { ...(await signInOwner(world)) };
  const traces: Record<string, unknown> = {};
  for (const clickId of clickIds) {
    const path = `/api/advertiser/affiliate-programs/${world.program.id}/trace?click_id=${clickId}`;
    traces[clickId] = (await world.call('GET', path, undefined, session)).body['data'];
  }
  return traces;
}

async function readClicks(engine: Engine) {
  return (await sql`SELECT * FROM click_events ORDER BY program_id, id`.execute(engine.read)).rows;
}

async function listClicks(world: World, query = '') {
  const session = { ...(await signInOwner(world)) };
  const ids: unknown[] = [];
  let meta: { pagination: { total: number; pageCount: number }; clicks_complete_from: string | null };
  let page = 1;
  do {
    const path = `/api/tracking/events/${world.program.id}?eventType=click&pageSize=10&page=${page}${query}`;
    const { body } = await world.call('GET', path, undefined, session);
    ids.push(...(body['data'] as { id: number }[]).map(({ id }) => id));
    meta = body['meta'] as typeof meta;
    page += 1;
  } while (page <= meta.pagination.pageCount);
  return { ids, total: meta.pagination.total, from: meta.clicks_complete_from };
}

async function expectConsistent({ engine, program }: World) {
  expect(await checkTotals({ engine }, program.id)).toEqual([]);
  expect(await checkBreakdowns({ engine }, program.id)).toEqual([]);
  expect((await verifyLedger({ engine }, null)).fault).toBeNull();
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-retention-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function runCommand(engine: Engine, folder: string | null) {
  const lines: string[] = [];
  const options = { months: KEPT_MONTHS, folder, now: NOW };
  const code = await runRetention(engine, options, (line) => lines.push(line));
  return { code, lines };
}

async function runImport(engine: Engine, folder: string) {
  const lines: string[] = [];
  return { code: await importArchives(engine, folder, (line) => lines.push(line)), lines };
}

describe.each(Object.entries(kinds))('retention on %s', (_name, open) => {
  test.each(SEEDS)(
    'changes no figure, keeps the traces of leads, and an import restores all clicks (seed %i)',
    async (seed) => {
      const engine = await open();
      const { world, known, clickIds } = await recordHistory(engine, seed);
      await expectConsistent(world);
      const before = await readFigures(world);
      const clicks = await readClicks(engine);
      const traces = await readTraces(world, known);
      const allTraces = await readTraces(world, clickIds);
      const list = await listClicks(world);
      const folder = makeFolder();

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
      expect(await runCommand(engine, folder)).toEqual({ code: 0, lines: ['No month is due'] });

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

  test('a trace says that first clicks were removed instead of naming another first visit', async () => {
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
    const folder = makeFolder();
    expect(await runCommand(engine, folder)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('not all clicks are counted yet')],
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
      lines: [expect.stringContaining('does not contain that archive')],
    });
    expect(await readClicks(engine)).toHaveLength(3);
    await engine.write(1, ({ db }) =>
      db.updateTable('removed_months').set({ archive_sha256: null }).execute(),
    );
    expect(await runCommand(engine, null)).toMatchObject({ code: 0 });
    expect(await readClicks(engine)).toEqual([]);
    await engine.close();
  });

  test('refuses damaged and foreign archives before it stores a click', async () => {
    const engine = await open();
    const { world } = await recordHistory(engine, 3);
    const folder = makeFolder();
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

test('due months are whole and old enough', async () => {
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

describe.each(Object.entries(kinds))('with requests at the same time on %s', (_name, open) => {
  test('the removal of months and two runs at once lose nothing and fail no request', async () => {
    const engine = await open();
    const { world, known, clickIds } = await recordHistory(engine, 11);
    const before = await readFigures(world);
    const clicks = await readClicks(engine);
    const traces = await readTraces(world, known);
    const others = clickIds.filter((clickId) => !known.has(clickId));
    const traffic = startTraffic([world], others.slice(0, others.length / 2), { senders: 6 });
    await waitUntil(() => traffic.rounds() >= 3);
    const folder = makeFolder();
    const runs = await Promise.all([runCommand(engine, folder), runCommand(engine, folder)]);
    const rounds = traffic.rounds();
    await waitUntil(() => traffic.rounds() >= rounds + 3);
    const sent = await traffic.stop();
    for (const { code, lines } of runs) if (code !== 0) expect(lines.at(-1)).toMatch(/nother (run|process)/);
    expect((await runCommand(engine, folder)).code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);

    await world.affkit.jobs.runOnce();
    await expectConsistent(world);
    const stored = (await readClicks(engine)) as { click_at: number; click_id: string }[];
    const live = stored.filter((row) => row.click_at === NOW);
    expect(live.map((row) => row.click_id).sort()).toEqual([...sent.clickIds].sort());
    expect(await readTraces(world, known)).toEqual(traces);
    const leads = await engine.read
      .selectFrom('lead_events')
      .where('lead_at', '=', NOW)
      .select('click_id')
      .execute();
    expect(leads.map((row) => row.click_id).sort()).toEqual([...sent.leads].sort());
    const sales = await engine.read.selectFrom('sales').where('sale_at', '=', NOW).select('id').execute();
    expect(sales).toHaveLength(sent.sales.length);
    const after = await readFigures(world);
    expect(after.tables['daily_totals']).toEqual(expect.arrayContaining(before.tables['daily_totals'] ?? []));

    expect(await runImport(engine, folder)).toMatchObject({ code: 0 });
    const restored = await readClicks(engine);
    expect(restored).toEqual(expect.arrayContaining(clicks));
    expect(restored).toHaveLength(clicks.length + sent.clickIds.length);
    await expectConsistent(world);
    await engine.close();
  });
});
