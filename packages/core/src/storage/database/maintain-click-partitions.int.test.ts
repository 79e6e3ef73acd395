import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startScript } from '../../../test/durability/load.ts';
import { waitForBlockedSessions } from '../../../test/support/blocked-sessions.ts';
import { makePlainClickTable } from '../../../test/support/plain-click-table.ts';
import { createMigratedDatabase, dropDatabase } from '../../../test/support/postgres-server.ts';
import { sql } from '../../../test/support/raw-sql.ts';
import { SILENT } from '../../../test/support/silent-logger.ts';
import { byDepth, sampleCases } from '../../../test/support/test-depth.ts';
import { type Acknowledged, startTraffic } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { createCaller, makeWorld, SECRET, signInOwner, type World } from '../../../test/support/world.ts';
import { createAffkit } from '../../create-affkit.ts';
import { checkBreakdowns } from '../../reporting/breakdowns.ts';
import { checkTotals } from '../../reporting/totals.ts';
import { verifyLedger } from '../../reporting/verify-ledger.ts';
import { postgresEngine } from '../postgres.ts';
import { listClickPartitions } from './click-partitions.ts';
import type { Engine } from './engine/engine.ts';
import { maintainClickPartitions } from './maintain-click-partitions.ts';
import { boundClickTable, checkClickTable, isClickTablePartitioned } from './migrations/partition-clicks.ts';

const HISTORY = byDepth({ short: 30, long: 2_000 });
const ROUNDS_BEFORE = byDepth({ short: 6, long: 200 });
const DAY_MS = 86_400_000;
const LOCK_TIMEOUT_MS = 50;

interface Server {
  readonly url: string;
  /** Two instances of the service on one database, each with its own connections. */
  readonly worlds: readonly [World, World];
  readonly history: readonly string[];
}

/** Starts a service with clicks in a table that is not partitioned. */
async function startWithPlainTable(lockTimeoutMs = LOCK_TIMEOUT_MS): Promise<Server> {
  const url = await createMigratedDatabase(inject('postgresUrl'));
  const open = () => postgresEngine({ connectionString: url, migrationLockTimeoutMs: lockTimeoutMs });
  const engine = open();
  const world = await makeWorld(engine);
  const second = await connect(world, open());
  onTestFinished(async () => {
    await world.affkit.close();
    await second.affkit.close();
    await dropDatabase(url);
  });
  const now = world.clock.now;
  const history: string[] = [];
  for (let click = 0; click < HISTORY; click++) {
    world.clock.now = now - (click % 20) * DAY_MS;
    history.push(await world.click(click % 2 === 0 ? 'anna' : 'ben'));
  }
  world.clock.now = now;
  await world.affkit.jobs.runOnce();
  await makePlainClickTable(engine);
  return { url, worlds: [world, second], history };
}

async function connect(world: World, engine: Engine): Promise<World> {
  const affkit = createAffkit({ engine, secret: SECRET, now: () => world.clock.now, logger: SILENT });
  const call = createCaller(affkit);
  const headers = { authorization: `Bearer ${world.token}` };
  return {
    ...world,
    affkit,
    engine,
    call,
    click: async (code, fields) => {
      const reply = await call('POST', '/api/v1/track/click', {
        affiliate_url: `https://shop.example/?aff=${code}`,
        ...fields,
      });
      if (typeof reply.body['click_id'] !== 'string') throw new Error(JSON.stringify(reply.body));
      return reply.body['click_id'];
    },
    track: (kind, body) => call('POST', `/api/v1/track/${kind}`, body, headers),
  };
}

/** Opens a transaction that has read the clicks. Until it ends, it blocks every ALTER TABLE of the click table. */
async function startLongReader(url: string) {
  const client = new Client({ connectionString: url, application_name: 'report' });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT count(*) FROM click_events');
  return client;
}

const isPartitioned = (engine: Engine) => isClickTablePartitioned(engine.read as never);

async function readTraces(world: World, clickIds: readonly string[]) {
  const session = { ...(await signInOwner(world)) };
  const traces: Record<string, unknown> = {};
  for (const clickId of clickIds) {
    const path = `/api/advertiser/affiliate-programs/${world.program.id}/trace?click_id=${clickId}`;
    traces[clickId] = (await world.call('GET', path, undefined, session)).body['data'];
  }
  return traces;
}

async function readClicks(engine: Engine): Promise<{ id: number; click_id: string }[]> {
  const { rows } = await sql<{
    id: number;
    click_id: string;
  }>`SELECT * FROM click_events ORDER BY id`.execute(engine.read);
  return rows;
}

/** Checks that each acknowledged request is stored once, and that totals, breakdowns and the ledger agree. */
async function expectComplete(world: World, history: readonly string[], sent: Acknowledged): Promise<void> {
  await world.affkit.jobs.runOnce();
  const { engine, program } = world;
  const clicks = await readClicks(engine);
  expect(clicks.map(({ click_id }) => click_id).sort()).toEqual([...history, ...sent.clickIds].sort());
  expect(new Set(clicks.map(({ id }) => id)).size).toBe(clicks.length);
  const leads = await engine.read.selectFrom('lead_events').select('click_id').execute();
  expect(leads.map(({ click_id }) => click_id).sort()).toEqual([...sent.leads].sort());
  const sales = await engine.read.selectFrom('sales').select('processor_event_id').execute();
  expect(sales).toHaveLength(sent.sales.length);
  expect(await checkTotals({ engine }, program.id)).toEqual([]);
  expect(await checkBreakdowns({ engine }, program.id)).toEqual([]);
  expect((await verifyLedger({ engine }, null)).fault).toBeNull();
}

const interrupted = {
  'before the first step': async () => {},
  'after the limit of click times was set': async (db: never, now: number) =>
    void (await boundClickTable(db, now)),
  'after the existing clicks were checked': async (db: never, now: number) => {
    await boundClickTable(db, now);
    await checkClickTable(db);
  },
};

test.each(sampleCases(Object.entries(interrupted), 3, 1))(
  'partitioning that is killed %s leaves the table unpartitioned, and the next attempt loses no request',
  async (_when, prepare) => {
    const { url, worlds, history } = await startWithPlainTable();
    const [world] = worlds;
    const { engine, clock } = world;
    const traces = await readTraces(world, history);
    await engine.maintain(({ db }) => prepare(db as never, clock.now));

    let reader = await startLongReader(url);
    const child = startScript('partition-process.ts', { url, now: clock.now });
    await waitForBlockedSessions(engine, 1);
    child.kill();
    await child.exited;
    await reader.end();
    await waitForBlockedSessions(engine, 0);
    expect(await isPartitioned(engine)).toBe(false);

    const traffic = startTraffic(worlds, history);
    await waitUntil(() => traffic.rounds() >= ROUNDS_BEFORE);
    reader = await startLongReader(url);
    let waits = 0;
    const log = {
      warn: () => {
        waits += 1;
      },
    };
    const converting = Promise.all(worlds.map((one) => maintainClickPartitions(one.engine, clock.now, log)));
    await waitUntil(() => traffic.rounds() >= 2 * ROUNDS_BEFORE && waits >= 2);
    expect(await isPartitioned(engine)).toBe(false);
    await reader.end();
    await converting;
    expect(await isPartitioned(engine)).toBe(true);
    const converted = traffic.rounds();
    await waitUntil(() => traffic.rounds() >= converted + ROUNDS_BEFORE);
    const sent = await traffic.stop();

    await expectComplete(world, history, sent);
    const untouched = history.filter((clickId) => !sent.clickIds.includes(clickId));
    expect(await readTraces(world, untouched)).toEqual(
      Object.fromEntries(untouched.map((clickId) => [clickId, traces[clickId]])),
    );
    const partitions = await listClickPartitions(engine.read);
    const clicks = await readClicks(engine);
    await maintainClickPartitions(engine, clock.now, SILENT);
    expect(await listClickPartitions(engine.read)).toEqual(partitions);
    expect(await readClicks(engine)).toEqual(clicks);
  },
);

test('replaces the constraint of an interrupted attempt if new clicks violate this constraint', async () => {
  const { worlds, history } = await startWithPlainTable();
  const [world] = worlds;
  const { engine, clock } = world;
  await engine.maintain(async ({ db }) => void (await boundClickTable(db as never, clock.now)));
  clock.now += 61 * DAY_MS;
  const clickId = world.click('anna');
  await expect(clickId).rejects.toThrow();
  await maintainClickPartitions(engine, clock.now, SILENT);
  expect(await isPartitioned(engine)).toBe(true);
  await expectComplete(world, history, { clickIds: [await world.click('anna')], leads: [], sales: [] });
});

test('does not reuse an id that a click got while partitioning waited for the table', async () => {
  const { url, worlds, history } = await startWithPlainTable(60_000);
  const [world] = worlds;
  const { engine, clock } = world;
  await engine.maintain(async ({ db }) => {
    await boundClickTable(db as never, clock.now);
    await checkClickTable(db as never);
  });
  const writer = await startLongReader(url);
  const converting = maintainClickPartitions(engine, clock.now, SILENT);
  await waitForBlockedSessions(engine, 1);
  await writer.query(`INSERT INTO click_events (program_id, customer_id, link_id, partner_id, click_id, is_test, click_at, created_at)
    SELECT program_id, customer_id, link_id, partner_id, 'copy', is_test, click_at, created_at FROM click_events LIMIT 1`);
  await writer.query('COMMIT');
  await writer.end();
  await converting;
  const clickId = await world.click('anna');
  const clicks = await readClicks(engine);
  expect(clicks.map(({ click_id }) => click_id).sort()).toEqual([...history, 'copy', clickId].sort());
  expect(new Set(clicks.map(({ id }) => id)).size).toBe(clicks.length);
});
