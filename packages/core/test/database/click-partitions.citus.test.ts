import { afterEach, expect, inject, test } from 'vitest';
import { monthOf, startOfMonth } from '../../src/domain/month.ts';
import { listClickPartitions } from '../../src/storage/database/click-partitions.ts';
import { initCluster } from '../../src/storage/database/cluster/init.ts';
import { readClusterStatus } from '../../src/storage/database/cluster/status.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { maintainClickPartitions } from '../../src/storage/database/maintain-click-partitions.ts';
import { partitionSmallClickTable } from '../../src/storage/database/migrations/partition-clicks.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { registerWorkers, runOnNodes, withDatabase } from '../support/citus-server.ts';
import { makePlainClickTable } from '../support/plain-click-table.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { sql } from '../support/raw-sql.ts';
import { SILENT } from '../support/silent-logger.ts';
import { makeWorld } from '../support/world.ts';

const SHARDS = 4;

let url: string;
let engine: Engine;

afterEach(async () => {
  await engine.close();
  await dropDatabase(url);
});

async function readClicks(): Promise<{ click_id: string; click_at: number }[]> {
  const { rows } = await sql<{ click_id: string; click_at: number }>`SELECT click_id, click_at
    FROM click_events ORDER BY click_at`.execute(engine.read);
  return rows;
}

test('adds the partitions of the next months on all workers, and moves the clicks of these months', async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  engine = postgresEngine({ connectionString: url });
  const world = await makeWorld(engine);
  const [history, future] = await listClickPartitions(engine.read);
  const firstFuture = future?.from ?? Number.NaN;
  expect(history?.to).toBe(firstFuture);
  const times = [firstFuture - 1, firstFuture, firstFuture + 40 * 86_400_000, firstFuture + 100 * 86_400_000];
  for (const at of times) {
    world.clock.now = at;
    await world.click('anna');
  }
  const clicks = await readClicks();
  expect(clicks.map(({ click_at }) => click_at)).toEqual(times);

  world.clock.now = firstFuture;
  await maintainClickPartitions(engine, world.clock.now, SILENT);
  const partitions = await listClickPartitions(engine.read);
  expect(partitions.length).toBe(2 + 4);
  expect(await readClicks()).toEqual(clicks);
  for (const { name, from, to } of partitions) {
    const { rows } = await sql<{ click_at: number }>`SELECT click_at FROM ${sql.table(name)}`.execute(
      engine.read,
    );
    const isInside = ({ click_at: at }: { click_at: number }) =>
      at >= (from ?? Number.NEGATIVE_INFINITY) && at < (to ?? Number.POSITIVE_INFINITY);
    expect(rows).toHaveLength(clicks.filter(isInside).length);
  }
  expect((await readClusterStatus({ engine })).problems).toEqual([]);
  await world.click('ben', { existing_click_id: clicks[0]?.click_id });
  await maintainClickPartitions(engine, startOfMonth(monthOf(firstFuture) + 1), SILENT);
  expect(await readClicks()).toHaveLength(times.length + 1);
});

test('does not change a table that was distributed before it was partitioned', async () => {
  const name = `plain_${Date.now()}`;
  await runOnNodes(inject('postgresUrl'), 'postgres', `CREATE DATABASE ${name}`);
  await registerWorkers(inject('postgresUrl'), name);
  url = withDatabase(inject('postgresUrl'), name);
  engine = postgresEngine({ connectionString: url });
  await engine.migrate();
  await makePlainClickTable(engine);
  await initCluster({ engine }, { shards: SHARDS, movesRows: false, onStep: () => {} });
  const world = await makeWorld(engine);
  const first = await world.click('anna');
  await engine.changeSchema((db) => partitionSmallClickTable(db as never, world.clock.now));
  await maintainClickPartitions(engine, world.clock.now, SILENT);
  expect(await listClickPartitions(engine.read)).toEqual([]);
  const second = await world.click('ben');
  expect((await readClicks()).map(({ click_id }) => click_id).sort()).toEqual([first, second].sort());
  expect((await readClusterStatus({ engine })).problems).toEqual([]);
});
