import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { DAY_MS } from '../../src/domain/calendar.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { lockProgram, updateProgram } from '../../src/storage/programs/programs.ts';
import { claimOutboxRow } from '../../src/storage/tracking/outbox.ts';
import { makeOwedCommission } from '../../src/tracking/owed-commission.ts';
import { auditBooks } from '../support/books.ts';
import { untilWaitingForLocks } from '../support/lock-waits.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { caller, makeWorld, type Reply, SECRET, START, type World } from '../support/world.ts';

// Two engines on one database know as little of each other as two processes.
let url: string;
let world: World;
let other: { engine: Engine; call: World['call']; runJobs: () => Promise<void> };

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWorld(postgresEngine({ connectionString: url }));
  const engine = postgresEngine({ connectionString: url });
  const affkit = createAffkit({ engine, secret: SECRET, now: () => world.clock.now });
  other = { engine, call: caller(affkit), runJobs: () => affkit.jobs.runOnce() };
});

afterEach(async () => {
  expect(await auditBooks(world.engine)).toEqual([]);
  await other.engine.close();
  await world.affkit.close();
  await dropDatabase(url);
});

const authorization = () => ({ authorization: `Bearer ${world.token}` });
const here = (kind: string, body: unknown) => world.track(kind as 'sale', body);
const there = (kind: string, body: unknown) =>
  other.call('POST', `/api/v1/track/${kind}`, body, authorization());
const tally = (replies: readonly Reply[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const name = [status, body['code'] ?? body['status'] ?? 'ok'].join(' ');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

test('one sale sent to both at once, 50 times, is recorded once', async () => {
  for (let round = 0; round < 4; round++) {
    const click_id = await world.click('anna');
    const sale = { transaction_id: `t${round}`, amount_cents: 1000, click_id };
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 ? here : there)('sale', sale)),
    );
    expect(tally(replies)).toEqual({ '200 ok': 1, '409 duplicate_transaction': 49 });
  }
  expect((await world.balances()).program).toEqual({ USD: 800 });
});

test('leads that give one key to different clicks at once: one is recorded, the others meet it', async () => {
  for (let round = 0; round < 10; round++) {
    const clicks = await Promise.all(
      Array.from({ length: 8 }, (_, i) => world.click(i % 2 ? 'anna' : 'ben')),
    );
    const replies = await Promise.all(
      clicks.map((click_id, i) => (i % 2 ? here : there)('lead', { click_id, customer_key: `u${round}` })),
    );
    expect(tally(replies)).toEqual({ '200 ok': 1, '400 lead_already_recorded': 7 });
  }
});

test('leads of the same customers sent to both at once, in opposite orders, are recorded once each', async () => {
  let recorded = 0;
  for (let round = 0; round < 5; round++) {
    const clicks = await Promise.all(Array.from({ length: 30 }, () => world.click('anna')));
    const send = (to: typeof here, ids: readonly string[]) =>
      ids.map((click_id, index) => to('lead', { click_id, customer_key: `u${round}-${index % 20}` }));
    const replies = await Promise.all([...send(here, clicks), ...send(there, clicks.toReversed())]);
    expect(Object.keys(tally(replies)).sort()).toEqual(['200 ok', '400 lead_already_recorded']);
    recorded += tally(replies)['200 ok'] ?? 0;
  }
  expect(await world.engine.read.selectFrom('lead_events').select('id').execute()).toHaveLength(recorded);
});

test.each([0, 3])(
  'a lead whose key another gives away meanwhile goes to the new owner, with %d beside it that are recorded too',
  async (others) => {
    const [owner, late] = [await world.click('anna'), await world.click('ben')];
    const beside = await Promise.all(Array.from({ length: others }, () => world.click('ben')));
    let replies: Promise<Reply[]> | undefined;
    // In a lane that does not wait for the workspace's own.
    await other.engine.write(world.workspaceId + 1, async (tx) => {
      const key = { customer_key: 'u1', key_state: 'verified' } as const;
      await tx.db.updateTable('customers').set(key).where('click_id', '=', owner).execute();
      const leads = [late, ...beside].map((click_id, index) => ({ click_id, customer_key: `u${index + 1}` }));
      replies = Promise.all(leads.map((lead) => here('lead', lead)));
      await untilWaitingForLocks(world.engine, 1);
    });
    expect(tally((await replies) ?? [])).toEqual({ '200 ok': 1 + others });
    const leads = await world.engine.read.selectFrom('lead_events').select('click_id').execute();
    expect(new Set(leads.map((row) => row.click_id))).toEqual(new Set([owner, ...beside]));
    const notes = await world.engine.read.selectFrom('trace_notes').select('reason').execute();
    expect(notes).toEqual([{ reason: 'customer_key_wins_over_click_id' }]);
  },
);

test('a lead that waits for a further click of its customer counts for the partner that the click leaves it with', async () => {
  const [click_id, theirs] = [await world.click('anna'), await world.click('ben')];
  let lead: Promise<Reply> | undefined;
  await other.engine.write('clicks', async (tx) => {
    const { partner_id, link_id } = await tx.db
      .selectFrom('customers')
      .select(['partner_id', 'link_id'])
      .where('click_id', '=', theirs)
      .executeTakeFirstOrThrow();
    await tx.db
      .updateTable('customers')
      .set({ partner_id, link_id })
      .where('click_id', '=', click_id)
      .execute();
    lead = here('lead', { click_id });
    await untilWaitingForLocks(world.engine, 1);
  });
  expect((await lead)?.status).toBe(200);
  const counters = await world.engine.read
    .selectFrom('counters')
    .select('subject_id')
    .where('measure', '=', 'leads')
    .execute();
  expect(counters).toEqual([{ subject_id: world.ben.partnerId }]);
});

test('sales that give one key to different clicks at once are all recorded, for one customer', async () => {
  for (let round = 0; round < 10; round++) {
    const clicks = await Promise.all(
      Array.from({ length: 8 }, (_, i) => world.click(i % 2 ? 'anna' : 'ben')),
    );
    const replies = await Promise.all(
      clicks.map((click_id, i) =>
        (i % 2 ? here : there)('sale', {
          transaction_id: `t${round}-${i}`,
          amount_cents: 1000,
          click_id,
          customer_key: `u${round}`,
        }),
      ),
    );
    expect(tally(replies)).toEqual({ '200 ok': 8 });
  }
  const buyers = await world.engine.read.selectFrom('sales').select('customer_id').distinct().execute();
  expect(buyers).toHaveLength(10);
});

test('a refund that waits for the repair of its commission takes it back', async () => {
  const click_id = await world.click('anna');
  const setPolicies = (deleted_at: number | null) =>
    world.engine.write(1, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
  await setPolicies(1);
  const sale = await here('sale', { transaction_id: 't', amount_cents: 1000, click_id });
  expect(sale.body['code']).toBe('commission_failed');
  await setPolicies(null);
  let refund: Promise<Reply> | undefined;
  await other.engine.write(world.workspaceId, async (tx) => {
    const { id } = await tx.db.selectFrom('outbox').select('id').executeTakeFirstOrThrow();
    await claimOutboxRow(tx, id);
    refund = here('refund', { transaction_id: 't' });
    await untilWaitingForLocks(world.engine, 1);
    const owed = { id: Number(sale.body['sale_id']), window_days: null };
    await makeOwedCommission(tx, world.program, owed, START);
  });
  expect((await refund)?.body).toMatchObject({ status: 'reversed', deductionAmount: 2 });
  expect((await world.balances()).program).toEqual({ USD: 0 });
});

test('a refund that is under way when a hold is over is not undone by the approval', async () => {
  const click_id = await world.click('anna');
  await world.engine.write(1, (tx) => updateProgram(tx, world.program.id, { holdDays: 1 }));
  await here('sale', { transaction_id: 't', amount_cents: 1000, click_id });
  world.clock.now = START + 2 * DAY_MS;
  let jobs: Promise<void> | undefined;
  await other.engine.write(world.workspaceId, async (tx) => {
    const set = { status: 'refunded' as const };
    await tx.db.updateTable('commissions').set(set).execute();
    jobs = world.affkit.jobs.runOnce();
    await untilWaitingForLocks(world.engine, 1);
  });
  await jobs;
  const commissions = await world.engine.read.selectFrom('commissions').select('status').execute();
  expect(commissions).toEqual([{ status: 'refunded' }]);
});

test('a sale that waits for a change of its program earns by the program as it is then', async () => {
  const click_id = await world.click('anna');
  let sale: Promise<Reply> | undefined;
  await other.engine.write(world.workspaceId, async (tx) => {
    await lockProgram(tx, world.program.id);
    sale = here('sale', { transaction_id: 't', amount_cents: 1000, click_id });
    await untilWaitingForLocks(world.engine, 1);
    await updateProgram(tx, world.program.id, { holdDays: 30 });
  });
  expect((await sale)?.status).toBe(200);
  const rows = await world.engine.read.selectFrom('commissions').select('status').execute();
  expect(rows).toEqual([{ status: 'pending' }]);
});

test.each([
  ['takes none from browsers', { browserLeads: 'off' }, 'browser_leads_off'],
  ['allows its origin no more', { allowedOrigins: ['https://other.example'] }, 'origin_not_allowed'],
] as const)(
  'a lead of a browser that waits for a change of its program, which then %s, is refused',
  async (_what, change, code) => {
    const click_id = await world.click('anna');
    let lead: Promise<Reply> | undefined;
    await other.engine.write(world.workspaceId, async (tx) => {
      await lockProgram(tx, world.program.id);
      lead = world.call('POST', '/api/v1/track/lead', { click_id }, { origin: 'https://shop.example' });
      await untilWaitingForLocks(world.engine, 1);
      await updateProgram(tx, world.program.id, change);
    });
    expect((await lead)?.body['code']).toBe(code);
    expect(await world.engine.read.selectFrom('lead_events').select('id').execute()).toEqual([]);
  },
);

test('one click with an idempotency key sent to both at once is recorded once', async () => {
  const landing = { affiliate_url: 'https://shop.example/?aff=anna' };
  for (let round = 0; round < 4; round++) {
    const visit = { ...landing, additional_data: { idempotency_key: `visit-${round}` } };
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? world.call : other.call)('POST', '/api/v1/track/click', visit),
      ),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
  }
  expect(await world.engine.read.selectFrom('click_events').select('id').execute()).toHaveLength(4);
});

test('refunds are told once, however many processes run the jobs', async () => {
  const click_id = await world.click('anna');
  for (let sale = 0; sale < 12; sale++) {
    await here('sale', { transaction_id: `t${sale}`, amount_cents: 1000, click_id });
    await there('refund', { transaction_id: `t${sale}` });
  }
  await Promise.all([
    other.runJobs(),
    world.affkit.jobs.runOnce(),
    other.runJobs(),
    world.affkit.jobs.runOnce(),
  ]);
  expect(await world.engine.read.selectFrom('notifications').select('id').execute()).toHaveLength(12);
  expect(await world.engine.read.selectFrom('outbox').select(['id', 'last_error']).execute()).toEqual([]);
});

test('of 24 tests of the chain sent to both at once ten are run', async () => {
  const path = '/api/v1/cli/test-event';
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      (index % 2 ? world.call : other.call)('POST', path, { type: 'chain' }, authorization()),
    ),
  );
  expect(tally(replies)).toEqual({ '200 ok': 10, '429 rate_limited': 14 });
});

test('everything at once, in both, leaves exact books and no failure', async () => {
  const clicks = await Promise.all(Array.from({ length: 12 }, (_, i) => world.click(i % 2 ? 'anna' : 'ben')));
  const seen: Reply[] = [];
  for (let round = 0; round < 2; round++) {
    const calls: Promise<Reply>[] = [];
    for (let i = 0; i < 60; i++) {
      const n = i % 20;
      const to = (i + Math.floor(i / 20)) % 2 ? here : there;
      const click_id = clicks[(i * 7 + round) % clicks.length];
      calls.push(
        to('sale', {
          transaction_id: `t${round}-${n}`,
          amount_cents: 999 + n,
          click_id,
          subscription_id: `s${n % 3}`,
        }),
        to('refund', { transaction_id: `t${round}-${(n + 3) % 20}`, refund_amount_cents: 333 }),
        to('lead', { click_id, customer_key: `k${i % 5}` }),
        (i % 2 ? world.call : other.call)('POST', '/api/v1/track/click', {
          affiliate_url: `https://shop.example/?aff=${i % 3 ? 'anna' : 'ben'}`,
          existing_click_id: clicks[(i * 5 + round) % clicks.length],
          additional_data: i % 4 ? { idempotency_key: `key${i % 9}` } : null,
        }),
      );
    }
    seen.push(...(await Promise.all(calls)));
    await Promise.all([other.runJobs(), world.affkit.jobs.runOnce()]);
  }
  const bad = seen.filter((reply) => reply.status >= 500);
  expect(bad.map((reply) => reply.body)).toEqual([]);
  const sold = seen.filter((reply) => reply.status === 200 && 'sale_id' in reply.body);
  expect(sold).toHaveLength(40);
});
