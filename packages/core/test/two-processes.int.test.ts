import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createAffkit } from '../src/create-affkit.ts';
import type { Engine } from '../src/storage/engine/engine.ts';
import { postgresEngine } from '../src/storage/engine/postgres.ts';
import { auditBooks } from './books.ts';
import { createDatabase, dropDatabase } from './postgres-server.ts';
import { caller, makeWorld, type Reply, SECRET, type World } from './world.ts';

// Two engines on one database know as little of each other as two processes.
let url: string;
let world: World;
let other: { engine: Engine; call: World['call']; runJobs: () => Promise<void> };

beforeEach(async () => {
  url = await createDatabase(inject('postgresUrl'));
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
