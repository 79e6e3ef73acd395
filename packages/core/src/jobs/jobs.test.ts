import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeWorld, START, type World } from '../../test/world.ts';
import { sqliteEngine } from '../storage/engine/sqlite.ts';

let world: World;

beforeEach(async () => {
  world = await makeWorld(sqliteEngine({ path: ':memory:' }), { hold_days: 1 });
});

afterEach(async () => {
  vi.useRealTimers();
  await world.affkit.close();
});

test('a round that takes long is not joined by a second one, and stopping waits for it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const round = vi.spyOn(world.affkit.jobs, 'runOnce').mockReturnValue(gate);
  world.affkit.jobs.start();
  vi.advanceTimersByTime(60_000);
  let isStopped = false;
  const stopped = world.affkit.jobs.stop().then(() => {
    isStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([round.mock.calls.length, isStopped]).toEqual([1, false]);
  release();
  await stopped;
});

test('one kind of work that fails does not hold up the others', async () => {
  const click_id = await world.click('anna');
  await world.track('sale', { transaction_id: 't', amount_cents: 1000, click_id });
  await world.engine.write(1, (tx) => tx.db.schema.alterTable('outbox').renameTo('gone').execute());
  world.clock.now = START + 2 * 86_400_000;
  await expect(world.affkit.jobs.runOnce()).rejects.toThrow('outbox');
  const commissions = await world.engine.read.selectFrom('commissions').select('status').execute();
  expect(commissions).toEqual([{ status: 'approved' }]);
});

test('what several kinds of work failed by is told of each', async () => {
  for (const table of ['outbox', 'login_failures'] as const) {
    await world.engine.write(1, (tx) => tx.db.schema.alterTable(table).renameTo(`${table}_gone`).execute());
  }
  const failure: unknown = await world.affkit.jobs.runOnce().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^2 failures, the first: .*outbox/),
    errors: ['outbox', 'login_failures'].map((table) => ({ message: expect.stringContaining(table) })),
  });
});
