import { afterEach, expect, test } from 'vitest';
import { createGaugeReader } from '../../src/reporting/gauges.ts';
import { engineKinds } from '../support/engine-kinds.ts';
import { migratedInMemory } from '../support/migrated-sqlite.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;

afterEach(() => world.affkit.close());

test.each(Object.entries(engineKinds))('gauges show the backlog of the jobs on %s', async (_kind, open) => {
  world = await makeWorld(await open());
  const { engine, clock, program } = world;
  const click_id = await world.click('anna');
  await world.track('sale', { transaction_id: 'order-1', amount_cents: 1999, click_id });
  const task = { kind: 'repair_totals', program_id: program.id, payload: '{}' } as const;
  const times = { run_at: clock.now, created_at: clock.now };
  await engine.write(world.workspaceId, ({ db }) =>
    db
      .insertInto('outbox')
      .values([
        { ...task, ...times, subject_id: 1, attempts: 0 },
        { ...task, ...times, subject_id: 2, attempts: 3 },
      ])
      .execute(),
  );
  clock.now += 90_000;
  const gauges = createGaugeReader({ engine, now: () => clock.now });
  const backlog = await gauges.readBacklog();
  expect(Object.fromEntries(backlog.map(({ metric, value }) => [metric, value]))).toEqual({
    'affkit.outbox.tasks': 2,
    'affkit.outbox.failing_tasks': 1,
    'affkit.outbox.oldest_age': 90,
    'affkit.webhook.queued': 0,
    'affkit.webhook.oldest_age': 0,
    'affkit.email.queued': 0,
    'affkit.email.oldest_age': 0,
    'affkit.payout.in_progress': 0,
    'affkit.payout.unclear': 0,
    'affkit.ledger.unsealed_oldest_age': 90,
  });
  // A second scrape does not read the database again.
  expect(await gauges.readBacklog()).toBe(backlog);
  const load = gauges.readLoad().map(({ metric }) => metric);
  expect(load).toContain('affkit.write_queue.size');
  expect(load.includes('affkit.read_pool.connections')).toBe(engine.dialect === 'postgres');
});

test('gauges are missing while the database cannot be read', async () => {
  world = await makeWorld(await migratedInMemory());
  const gauges = createGaugeReader({ engine: world.engine, now: Date.now });
  await world.affkit.close();
  expect(await gauges.readBacklog()).toEqual([]);
});
