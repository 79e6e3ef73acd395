import { checkBreakdowns, checkTotals, createAffkit, type Engine, monthOf, verifyLedger } from '@affkit/core';
import { postgresEngine } from '@affkit/core/postgres';
import { expect, inject } from 'vitest';
import { createRandom } from '../../core/test/support/create-random.ts';
import { engineKinds } from '../../core/test/support/engine-kinds.ts';
import { createMigratedDatabase, dropDatabase } from '../../core/test/support/postgres-server.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import { SILENT } from '../../core/test/support/silent-logger.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { makeWorld, SECRET, START, signInOwner, type World } from '../../core/test/support/world.ts';
import type { RunCommand } from '../src/commands/command-result.ts';
import { importArchives } from '../src/commands/retention/import-command.ts';
import { runRetention } from '../src/commands/retention/retention-command.ts';
import { captureCommand } from './run-cli.ts';

const DAY_MS = 86_400_000;
export const startOfMonth = (month: number) => Date.UTC(Math.floor(month / 12), month % 12, 1);
export const FIRST_MONTH = monthOf(START) + 1;
const MONTHS = 8;
export const KEPT_MONTHS = 3;
export const NOW = startOfMonth(FIRST_MONTH + MONTHS) + 10 * DAY_MS;
/** The number of months whose clicks are due for removal. */
export const DUE = MONTHS - KEPT_MONTHS;
const EVENTS_PER_MONTH = byDepth({ short: 8, long: 80 });
export const SEEDS = byDepth({ short: [7], long: [7, 8, 9, 10] });

/** Opens a database whose clicks have a partition for each month of the test. */
export async function openPartitioned(): Promise<Engine> {
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

export const kinds = {
  ...engineKinds,
  'Postgres with a partition per month': openPartitioned,
};

interface History {
  readonly world: World;
  /** Click ids of customers with a lead or a sale. */
  readonly known: Set<string>;
  readonly clickIds: string[];
}

/** Records random events, in time order, and runs the jobs as a server would. */
export async function recordHistory(engine: Engine, seed: number): Promise<History> {
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
export async function readFigures(world: World) {
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

export async function readTraces(world: World, clickIds: Iterable<string>) {
  const session = { ...(await signInOwner(world)) };
  const traces: Record<string, unknown> = {};
  for (const clickId of clickIds) {
    const path = `/api/advertiser/affiliate-programs/${world.program.id}/trace?click_id=${clickId}`;
    traces[clickId] = (await world.call('GET', path, undefined, session)).body['data'];
  }
  return traces;
}

export async function readClicks(engine: Engine) {
  return (await sql`SELECT * FROM click_events ORDER BY program_id, id`.execute(engine.read)).rows;
}

export async function listClicks(world: World, query = '') {
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

export async function expectConsistent({ engine, program }: World) {
  expect(await checkTotals({ engine }, program.id)).toEqual([]);
  expect(await checkBreakdowns({ engine }, program.id)).toEqual([]);
  expect((await verifyLedger({ engine }, null)).fault).toBeNull();
}

export async function runCommand(engine: Engine, folder: string | null) {
  const options = { months: KEPT_MONTHS, folder, now: NOW };
  return captureLines((output) => runRetention(engine, options, output));
}

export async function runImport(engine: Engine, folder: string) {
  return captureLines((output) => importArchives(engine, folder, output));
}

/** Returns everything that a command prints. */
async function captureLines(command: RunCommand) {
  const { code, stdout, stderr } = await captureCommand(command);
  return { code, lines: `${stdout}${stderr}`.split('\n').filter((line) => line !== '') };
}
