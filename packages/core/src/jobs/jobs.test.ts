import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addProgram, makeWorld, START, type World } from '../../test/support/world.ts';
import { DAY_MS } from '../domain/calendar.ts';
import { Unavailable } from '../rejection.ts';
import { insertRows } from '../storage/database/rows.ts';
import { sqliteEngine } from '../storage/sqlite.ts';
import { JobLoop } from './job-loop.ts';
import { MAIN_JOBS } from './jobs.ts';
import { drainOutbox } from './outbox.ts';

let world: World;

beforeEach(async () => {
  world = await makeWorld(sqliteEngine({ path: ':memory:' }), { hold_days: 1 });
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await world.affkit.close();
});

test('does not start a second run while the first is in progress, and stop waits for the first run', async () => {
  const loop = new JobLoop(world.affkit.runtime, MAIN_JOBS);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const round = vi.spyOn(loop, 'runOnce').mockReturnValue(gate);
  loop.start();
  vi.advanceTimersByTime(60_000);
  let isStopped = false;
  const stopped = loop.stop().then(() => {
    isStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([round.mock.calls.length, isStopped]).toEqual([1, false]);
  release();
  await stopped;
});

test('a job that fails does not block the others', async () => {
  const click_id = await world.click('anna');
  await world.track('sale', { transaction_id: 't', amount_cents: 1000, click_id });
  await world.engine.write(1, (tx) => tx.db.schema.alterTable('outbox').renameTo('gone').execute());
  world.clock.now = START + 2 * 86_400_000;
  await expect(world.affkit.jobs.runOnce()).rejects.toThrow('outbox');
  const commissions = await world.engine.read.selectFrom('commissions').select('status').execute();
  expect(commissions).toEqual([{ status: 'approved' }]);
});

test('throws an AggregateError with every failure when several jobs fail', async () => {
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

function outboxRow(_: unknown, subject_id: number) {
  const payload = '{"notices":[]}';
  const times = { run_at: START, created_at: START };
  return { program_id: world.program.id, kind: 'refund_notices', subject_id, payload, attempts: 0, ...times };
}

type RemainingCounts = Record<'holds' | 'keys' | 'outboxRows' | 'unsealed', number>;

/**
 * Creates due rows for several jobs. By default, each job gets more rows than it processes in one turn.
 * @returns a function that counts the remaining rows of each kind
 */
async function createBacklog(
  waiting = { sales: 600, outboxRows: 250 },
): Promise<() => Promise<RemainingCounts>> {
  const click_id = await world.click('anna');
  const sales = Array.from({ length: waiting.sales }, (_, index) => ({
    transaction_id: `t${index}`,
    amount_cents: 1000,
    click_id,
  }));
  await Promise.all(sales.map((sale) => world.track('sale', sale)));
  const program_id = world.program.id;
  const keys = Array.from({ length: 2_500 }, (_, index) => ({
    program_id,
    link_id: 1,
    key: `key-${index}`,
    answer: '{}',
    created_at: START,
  }));
  await world.engine.write('clicks', async (tx) => {
    await insertRows(tx, 'click_keys', keys);
    await insertRows(tx, 'outbox', Array.from({ length: waiting.outboxRows }, outboxRow));
  });
  world.clock.now = START + 4 * DAY_MS;
  const count = async (table: 'commissions' | 'click_keys' | 'outbox' | 'ledger_entries') => {
    const { length } = await world.engine.read
      .selectFrom(table)
      .selectAll()
      .$if(table === 'commissions', (query) => query.where(sql.ref('status'), '=', 'pending'))
      .$if(table === 'ledger_entries', (query) => query.where(sql.ref('chain_position'), 'is', null))
      .execute();
    return length;
  };
  return async () => ({
    holds: await count('commissions'),
    keys: await count('click_keys'),
    outboxRows: await count('outbox'),
    unsealed: await count('ledger_entries'),
  });
}

test('processes a backlog in one run, but only a limited number of rows per transaction', async () => {
  const countLeft = await createBacklog();
  const before = await countLeft();
  expect(before).toEqual({ holds: 600, keys: 2_500, outboxRows: 250, unsealed: 1_200 });
  const write = world.engine.write.bind(world.engine);
  const counts = [before];
  vi.spyOn(world.engine, 'write').mockImplementation(async (...work) => {
    const result = await write(...work);
    counts.push(await countLeft());
    return result as never;
  });
  await world.affkit.jobs.runOnce();
  const maxPerTurn = (kind: keyof RemainingCounts) =>
    Math.max(...counts.map((left, at) => (counts[at - 1] ?? left)[kind] - left[kind]));
  expect(await countLeft()).toEqual({ holds: 0, keys: 0, outboxRows: 0, unsealed: 0 });
  expect({ holds: maxPerTurn('holds'), keys: maxPerTurn('keys'), unsealed: maxPerTurn('unsealed') }).toEqual({
    holds: 500,
    keys: 1_000,
    unsealed: 1_000,
  });
});

test('seals all other ledgers when sealing fails for one program, and reports the failure once', async () => {
  const countLeft = await createBacklog({ sales: 600, outboxRows: 0 });
  const { program } = await addProgram(world, world.workspaceId, 'carl');
  await world.engine.write(1, async (tx) => {
    const entry = await tx.db.selectFrom('ledger_entries').selectAll().executeTakeFirstOrThrow();
    await insertRows(tx, 'ledger_entries', [{ ...entry, id: 1_000_000, program_id: program.id }]);
    await sql`CREATE TRIGGER broken BEFORE UPDATE ON ledger_entries WHEN OLD.id = 1000000
      BEGIN SELECT RAISE(ABORT, 'broken'); END`.execute(tx.db);
  });
  const failure: unknown = await world.affkit.jobs.runOnce().catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: 'broken' });
  expect((await countLeft()).unsealed).toBe(1);
});

test('processes newly due work of one job before the backlog of another job ends', async () => {
  const countLeft = await createBacklog({ sales: 0, outboxRows: 1 });
  const write = world.engine.write.bind(world.engine);
  const counts: Pick<RemainingCounts, 'keys' | 'outboxRows'>[] = [];
  vi.spyOn(world.engine, 'write').mockImplementation(async (...work) => {
    const result = await write(...work);
    const { keys, outboxRows } = await countLeft();
    counts.push({ keys, outboxRows });
    // After the first commit that deletes keys, and before the last one, make an outbox row due.
    if (keys === 1_500 && counts.filter((count) => count.keys === 1_500).length === 1)
      await write(1, (tx) => insertRows(tx, 'outbox', [outboxRow(null, 1)]));
    return result as never;
  });
  await world.affkit.jobs.runOnce();
  // Leave out the earlier commits, which belong to other jobs.
  expect(counts.filter(({ keys }) => keys < 2_500)).toEqual([
    { keys: 1_500, outboxRows: 0 },
    { keys: 1_500, outboxRows: 0 },
    { keys: 500, outboxRows: 0 },
    { keys: 0, outboxRows: 0 },
  ]);
});

test('stop does not interrupt a run that the app started with runOnce', async () => {
  const loop = new JobLoop(world.affkit.runtime, MAIN_JOBS);
  const countLeft = await createBacklog();
  const write = world.engine.write.bind(world.engine);
  let stopped: Promise<void> | undefined;
  vi.spyOn(loop, 'runOnce').mockImplementationOnce(async () => {
    await vi.waitFor(async () => expect((await countLeft()).keys).toBe(0), { timeout: 20_000 });
  });
  loop.start();
  vi.spyOn(world.engine, 'write').mockImplementation((...work) => {
    stopped ??= loop.stop();
    return write(...work) as never;
  });
  await loop.runOnce();
  await stopped;
  expect(await countLeft()).toEqual({ holds: 0, keys: 0, outboxRows: 0, unsealed: 0 });
});

test('stop does not wait for the end of a backlog', async () => {
  const countLeft = await createBacklog();
  const write = world.engine.write.bind(world.engine);
  let stopped: Promise<void> | undefined;
  vi.spyOn(world.engine, 'write').mockImplementation((...work) => {
    stopped ??= world.affkit.jobs.stop();
    return write(...work) as never;
  });
  world.affkit.jobs.start();
  await vi.waitFor(() => expect(stopped).toBeDefined(), { timeout: 20_000 });
  await stopped;
  expect((await countLeft()).keys).toBe(1_500);
  await world.affkit.jobs.runOnce();
  expect((await countLeft()).keys).toBe(0);
});

test('reports an unavailable database once, not for each outbox row', async () => {
  await createBacklog();
  const log = vi.spyOn(world.affkit.runtime.log, 'error');
  const unavailable = new Unavailable('The database is unavailable');
  vi.spyOn(world.engine, 'write').mockRejectedValue(unavailable);
  const failure: unknown = await world.affkit.jobs.runOnce().catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringContaining('The database is unavailable') });
  expect(log).not.toHaveBeenCalled();
});

test('waits for every failing outbox row and reports each failure', async () => {
  await createBacklog({ sales: 0, outboxRows: 3 });
  const write = world.engine.write.bind(world.engine);
  let calls = 0;
  let ended = 0;
  vi.spyOn(world.engine, 'write').mockImplementation(async (...work) => {
    calls += 1;
    const call = calls;
    if (call > 6) return (await write(...work)) as never;
    if (call === 6) await new Promise((resolve) => setTimeout(resolve));
    ended += 1;
    throw new Error(`failure ${call}`);
  });
  const failure: unknown = await drainOutbox(world.affkit.runtime).catch((error: unknown) => error);
  expect(ended).toBe(6);
  expect(failure).toMatchObject({
    errors: [4, 5, 6].map((call) => ({ message: `failure ${call}` })),
  });
});
