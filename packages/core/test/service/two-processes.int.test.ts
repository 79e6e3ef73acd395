import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { DAY_MS } from '../../src/domain/calendar.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { lockProgram, updateProgram } from '../../src/storage/programs/programs.ts';
import { claimOutboxRow } from '../../src/storage/tracking/outbox.ts';
import { repairCommission } from '../../src/tracking/repair-commission.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { waitForBlockedSessions } from '../support/blocked-sessions.ts';
import { throughPooler } from '../support/pgbouncer.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { createCaller, makeWorld, type Reply, SECRET, START, type World } from '../support/world.ts';

// Two engines on one database share no state, so they behave like two processes.
let url: string;
let world: World;
let otherProcess: { engine: Engine; call: World['call']; runJobs: () => Promise<void> };

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWorld(postgresEngine(throughPooler(url)));
  const engine = postgresEngine(throughPooler(url));
  const affkit = createAffkit({ engine, secret: SECRET, now: () => world.clock.now });
  otherProcess = { engine, call: createCaller(affkit), runJobs: () => affkit.jobs.runOnce() };
});

afterEach(async () => {
  // With program ids, `auditLedger` skips the checks of `ledger verify` and `totals check`. These checks would
  // fail, because one test sets the status of a commission directly, without a refund.
  expect(await auditLedger(world.engine, [world.program.id])).toEqual([]);
  await otherProcess.engine.close();
  await world.affkit.close();
  await dropDatabase(url);
});

const authorization = () => ({ authorization: `Bearer ${world.token}` });
const trackHere = (kind: string, body: unknown) => world.track(kind as 'sale', body);
const trackInOther = (kind: string, body: unknown) =>
  otherProcess.call('POST', `/api/v1/track/${kind}`, body, authorization());
const countOutcomes = (replies: readonly Reply[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const name = [status, body['code'] ?? body['status'] ?? 'ok'].join(' ');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

test('records a sale once when both processes receive it 50 times concurrently', async () => {
  for (let round = 0; round < 4; round++) {
    const click_id = await world.click('anna');
    const sale = { transaction_id: `t${round}`, amount_cents: 1000, click_id };
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 ? trackHere : trackInOther)('sale', sale)),
    );
    expect(countOutcomes(replies)).toEqual({ '200 ok': 1, '409 duplicate_transaction': 49 });
  }
  expect((await world.balances()).program).toEqual({ USD: 800 });
});

test('records one of several concurrent leads that assign one customer key to different clicks', async () => {
  for (let round = 0; round < 10; round++) {
    const clicks = await Promise.all(
      Array.from({ length: 8 }, (_, i) => world.click(i % 2 ? 'anna' : 'ben')),
    );
    const replies = await Promise.all(
      clicks.map((click_id, i) =>
        (i % 2 ? trackHere : trackInOther)('lead', { click_id, customer_key: `u${round}` }),
      ),
    );
    expect(countOutcomes(replies)).toEqual({ '200 ok': 1, '400 lead_already_recorded': 7 });
  }
});

test('records each lead once when both processes receive the same leads in opposite orders', async () => {
  let recorded = 0;
  for (let round = 0; round < 5; round++) {
    const clicks = await Promise.all(Array.from({ length: 30 }, () => world.click('anna')));
    const send = (to: typeof trackHere, ids: readonly string[]) =>
      ids.map((click_id, index) => to('lead', { click_id, customer_key: `u${round}-${index % 20}` }));
    const replies = await Promise.all([
      ...send(trackHere, clicks),
      ...send(trackInOther, clicks.toReversed()),
    ]);
    expect(Object.keys(countOutcomes(replies)).sort()).toEqual(['200 ok', '400 lead_already_recorded']);
    recorded += countOutcomes(replies)['200 ok'] ?? 0;
  }
  expect(await world.engine.read.selectFrom('lead_events').select('id').execute()).toHaveLength(recorded);
});

test.each([0, 3])(
  'assigns a lead to the customer that concurrently received its key, and records %d other leads of the batch',
  async (othersCount) => {
    const [owner, late] = [await world.click('anna'), await world.click('ben')];
    const others = await Promise.all(Array.from({ length: othersCount }, () => world.click('ben')));
    let replies: Promise<Reply[]> | undefined;
    // This transaction uses another write lane, so it does not wait for the writes of the workspace.
    await otherProcess.engine.write(world.workspaceId + 1, async (tx) => {
      const key = { customer_key: 'u1', key_state: 'verified' } as const;
      await tx.db.updateTable('customers').set(key).where('click_id', '=', owner).execute();
      const leads = [late, ...others].map((click_id, index) => ({ click_id, customer_key: `u${index + 1}` }));
      replies = Promise.all(leads.map((lead) => trackHere('lead', lead)));
      await waitForBlockedSessions(world.engine, 1);
    });
    expect(countOutcomes((await replies) ?? [])).toEqual({ '200 ok': 1 + othersCount });
    const leads = await world.engine.read.selectFrom('lead_events').select('click_id').execute();
    expect(new Set(leads.map((row) => row.click_id))).toEqual(new Set([owner, ...others]));
    const notes = await world.engine.read.selectFrom('trace_notes').select('reason').execute();
    expect(notes).toEqual([{ reason: 'customer_key_wins_over_click_id' }]);
  },
);

test('counts a lead for the partner whose link the customer clicked concurrently', async () => {
  const [click_id, theirs] = [await world.click('anna'), await world.click('ben')];
  let lead: Promise<Reply> | undefined;
  await otherProcess.engine.write('clicks', async (tx) => {
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
    lead = trackHere('lead', { click_id });
    await waitForBlockedSessions(world.engine, 1);
  });
  expect((await lead)?.status).toBe(200);
  const counters = await world.engine.read
    .selectFrom('counters')
    .select('subject_id')
    .where('measure', '=', 'leads')
    .execute();
  expect(counters).toEqual([{ subject_id: world.ben.partnerId }]);
});

test('assigns concurrent sales with the same customer key but different clicks to one customer', async () => {
  for (let round = 0; round < 10; round++) {
    const clicks = await Promise.all(
      Array.from({ length: 8 }, (_, i) => world.click(i % 2 ? 'anna' : 'ben')),
    );
    const replies = await Promise.all(
      clicks.map((click_id, i) =>
        (i % 2 ? trackHere : trackInOther)('sale', {
          transaction_id: `t${round}-${i}`,
          amount_cents: 1000,
          click_id,
          customer_key: `u${round}`,
        }),
      ),
    );
    expect(countOutcomes(replies)).toEqual({ '200 ok': 8 });
  }
  const buyers = await world.engine.read.selectFrom('sales').select('customer_id').distinct().execute();
  expect(buyers).toHaveLength(10);
});

test('a refund reverses a commission that the repair job is creating concurrently', async () => {
  const click_id = await world.click('anna');
  const setPolicies = (deleted_at: number | null) =>
    world.engine.write(1, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
  await setPolicies(1);
  const sale = await trackHere('sale', { transaction_id: 't', amount_cents: 1000, click_id });
  expect(sale.body['code']).toBe('commission_failed');
  await setPolicies(null);
  let refund: Promise<Reply> | undefined;
  await otherProcess.engine.write(world.workspaceId, async (tx) => {
    const { id } = await tx.db.selectFrom('outbox').select('id').executeTakeFirstOrThrow();
    await claimOutboxRow(tx, id);
    refund = trackHere('refund', { transaction_id: 't' });
    await waitForBlockedSessions(world.engine, 1);
    const owed = {
      id: Number(sale.body['sale_id']),
      program_id: world.program.id,
      customer_key: null,
      window_days: null,
      min_sale_cents: null,
      subscription_id: null,
    };
    await repairCommission(tx, world.affkit.runtime, world.program, owed);
  });
  expect((await refund)?.body).toMatchObject({ status: 'reversed', deductionAmount: 2 });
  expect((await world.balances()).program).toEqual({ USD: 0 });
});

test('does not approve a commission at the end of its hold while the other process refunds it', async () => {
  const click_id = await world.click('anna');
  await world.engine.write(1, (tx) => updateProgram(tx, world.program.id, { holdDays: 1 }));
  await trackHere('sale', { transaction_id: 't', amount_cents: 1000, click_id });
  world.clock.now = START + 2 * DAY_MS;
  let jobs: Promise<void> | undefined;
  await otherProcess.engine.write(world.workspaceId, async (tx) => {
    const set = { status: 'refunded' as const };
    await tx.db.updateTable('commissions').set(set).execute();
    jobs = world.affkit.jobs.runOnce();
    await waitForBlockedSessions(world.engine, 1);
  });
  await jobs;
  const commissions = await world.engine.read.selectFrom('commissions').select('status').execute();
  expect(commissions).toEqual([{ status: 'refunded' }]);
});

test('a sale that waited for a change of the program settings uses the new settings', async () => {
  const click_id = await world.click('anna');
  let sale: Promise<Reply> | undefined;
  await otherProcess.engine.write(world.workspaceId, async (tx) => {
    await lockProgram(tx, world.program.id);
    sale = trackHere('sale', { transaction_id: 't', amount_cents: 1000, click_id });
    await waitForBlockedSessions(world.engine, 1);
    await updateProgram(tx, world.program.id, { holdDays: 30 });
  });
  expect((await sale)?.status).toBe(200);
  const rows = await world.engine.read.selectFrom('commissions').select('status').execute();
  expect(rows).toEqual([{ status: 'pending' }]);
});

test.each([
  ['turns browser leads off', { browserLeads: 'off' }, 'browser_leads_off', 'https://shop.example'],
  ['requires an origin', { requireOrigin: true }, 'origin_required', undefined],
  [
    'removes its origin',
    { allowedOrigins: ['https://other.example'] },
    'origin_not_allowed',
    'https://shop.example',
  ],
] as const)(
  'rejects a browser lead that waited for a change of its program: the change %s',
  async (_what, change, code, origin) => {
    const click_id = await world.click('anna');
    let lead: Promise<Reply> | undefined;
    await otherProcess.engine.write(world.workspaceId, async (tx) => {
      await lockProgram(tx, world.program.id);
      lead = world.call('POST', '/api/v1/track/lead', { click_id }, origin === undefined ? {} : { origin });
      await waitForBlockedSessions(world.engine, 1);
      await updateProgram(tx, world.program.id, change);
    });
    expect((await lead)?.body['code']).toBe(code);
    expect(await world.engine.read.selectFrom('lead_events').select('id').execute()).toEqual([]);
  },
);

test('records a click with an idempotency key once when both processes receive it concurrently', async () => {
  const landing = { affiliate_url: 'https://shop.example/?aff=anna' };
  for (let round = 0; round < 4; round++) {
    const visit = { ...landing, additional_data: { idempotency_key: `visit-${round}` } };
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? world.call : otherProcess.call)('POST', '/api/v1/track/click', visit),
      ),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
  }
  expect(await world.engine.read.selectFrom('click_events').select('id').execute()).toHaveLength(4);
});

test('sends one notification per refund when several processes run the jobs', async () => {
  const click_id = await world.click('anna');
  for (let sale = 0; sale < 12; sale++) {
    await trackHere('sale', { transaction_id: `t${sale}`, amount_cents: 1000, click_id });
    await trackInOther('refund', { transaction_id: `t${sale}` });
  }
  await Promise.all([
    otherProcess.runJobs(),
    world.affkit.jobs.runOnce(),
    otherProcess.runJobs(),
    world.affkit.jobs.runOnce(),
  ]);
  expect(await world.engine.read.selectFrom('notifications').select('id').execute()).toHaveLength(12);
  expect(await world.engine.read.selectFrom('outbox').select(['id', 'last_error']).execute()).toEqual([]);
});

test('runs ten of 24 concurrent chain tests and rate limits the others', async () => {
  const path = '/api/v1/cli/test-event';
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      (index % 2 ? world.call : otherProcess.call)('POST', path, { type: 'chain' }, authorization()),
    ),
  );
  expect(countOutcomes(replies)).toEqual({ '200 ok': 10, '429 rate_limited': 14 });
});

test('keeps correct balances and returns no 5xx under mixed concurrent requests', async () => {
  const clicks = await Promise.all(Array.from({ length: 12 }, (_, i) => world.click(i % 2 ? 'anna' : 'ben')));
  const replies: Reply[] = [];
  for (let round = 0; round < 2; round++) {
    const calls: Promise<Reply>[] = [];
    for (let i = 0; i < 60; i++) {
      const n = i % 20;
      const to = (i + Math.floor(i / 20)) % 2 ? trackHere : trackInOther;
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
        (i % 2 ? world.call : otherProcess.call)('POST', '/api/v1/track/click', {
          affiliate_url: `https://shop.example/?aff=${i % 3 ? 'anna' : 'ben'}`,
          existing_click_id: clicks[(i * 5 + round) % clicks.length],
          additional_data: i % 4 ? { idempotency_key: `key${i % 9}` } : null,
        }),
      );
    }
    replies.push(...(await Promise.all(calls)));
    await Promise.all([otherProcess.runJobs(), world.affkit.jobs.runOnce()]);
  }
  const failed = replies.filter((reply) => reply.status >= 500);
  expect(failed.map((reply) => reply.body)).toEqual([]);
  const recordedSales = replies.filter((reply) => reply.status === 200 && 'sale_id' in reply.body);
  expect(recordedSales).toHaveLength(40);
});
