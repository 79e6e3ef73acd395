import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import type { Transaction } from '../../src/storage/database/engine/engine.ts';
import { lockCommissionOfSale, updateCommission } from '../../src/storage/money/commissions.ts';
import { lockBalance } from '../../src/storage/money/ledger.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { findSaleByTransaction, type SaleRow } from '../../src/storage/tracking/sales.ts';
import { refundSale } from '../../src/tracking/track-refund.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { waitForBlockedSessions } from '../support/blocked-sessions.ts';
import { runConcurrently } from '../support/management-world.ts';
import { type PayoutData, type PayoutWorld, payoutWorldOn } from '../support/payout-world.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { createCaller, makeWorld, type Reply, SECRET, START, type World } from '../support/world.ts';

/** A lane that no workspace uses. Requests never wait for the lane itself, only for rows that a write in it locks. */
const OTHER_LANE = 4711;

// Separate engines on one database share no state, like separate processes.
let url: string;
let world: PayoutWorld;
let otherProcesses: { affkit: World['affkit']; call: World['call'] }[];

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await payoutWorldOn(await makeWorld(postgresEngine({ connectionString: url })));
  otherProcesses = [0, 1].map(() => {
    const engine = postgresEngine({ connectionString: url });
    const affkit = createAffkit({ engine, secret: SECRET, now: () => world.clock.now });
    return { affkit, call: createCaller(affkit) };
  });
});

afterEach(async () => {
  expect(await auditLedger(world.engine)).toEqual([]);
  await world.affkit.jobs.runOnce();
  const report = await verifyLedger(world.affkit.runtime, world.program.id);
  expect(report).toMatchObject({ fault: null, unsealed: 0 });
  await Promise.all(otherProcesses.map(({ affkit }) => affkit.close()));
  await world.affkit.close();
  await dropDatabase(url);
});

const second = () => otherProcesses[0]?.affkit.runtime.engine ?? world.engine;
const callOf = (index: number) =>
  [world.call, ...otherProcesses.map(({ call }) => call)][index % 3] ?? world.call;
const create = (index = 0) => world.ask('POST', '/payouts', {}, callOf(index));
const refundBy = (index: number, transactionId: string, cents = 0) =>
  callOf(index)(
    'POST',
    '/api/v1/track/refund',
    { transaction_id: transactionId, refund_amount_cents: cents },
    { authorization: `Bearer ${world.token}` },
  );
const payoutsOf = (replies: readonly Reply[]) => replies.flatMap(({ body }) => body['data'] as PayoutData[]);

/**
 * Locks the sale's commission in the second process, waits until `waiting` blocks on that lock, runs `move`, and
 * commits, which releases the lock.
 * @returns the reply of `waiting`
 */
async function whileLocked(
  transactionId: string,
  waiting: () => Promise<Reply>,
  move: (tx: Transaction, sale: SaleRow) => Promise<unknown>,
): Promise<Reply> {
  let reply: Promise<Reply> | undefined;
  await second().write(OTHER_LANE, async (tx) => {
    const sale = await findSaleByTransaction(tx.db, world.program.id, transactionId, 0);
    const commission = sale && (await lockCommissionOfSale(tx, world.program.id, sale.id));
    if (!sale || !commission) throw new Error('No such sale');
    reply = waiting();
    await waitForBlockedSessions(world.engine, 1);
    await move(tx, sale);
  });
  if (!reply) throw new Error('The work did not run');
  return reply;
}

test('payouts that several processes create contain each commission once', async () => {
  for (let round = 0; round < 4; round++) {
    for (let sale = 0; sale < 8; sale++) {
      await world.sell(`t${round}-${sale}`, 1000, { code: sale % 2 ? 'anna' : 'ben' });
    }
    const made = payoutsOf(await runConcurrently(30, create));
    expect(made.map((payout) => [payout.amount_cents, payout.commissions])).toEqual([
      [800, 4],
      [800, 4],
    ]);
  }
});

test('a payout that waits for a refund contains only the amount that the refund leaves', async () => {
  await world.sell('t1', 1000);
  await world.sell('t2', 2000);
  const reply = await whileLocked('t1', create, (tx, sale) =>
    refundSale(
      tx,
      world.affkit.runtime,
      world.program,
      sale,
      { refundId: null, amountCents: 500, reason: null },
      { refundAt: START, now: START },
    ),
  );
  expect(payoutsOf([reply])).toMatchObject([{ amount_cents: 500, commissions: 2 }]);
});

test('a commission that is approved while a payout waits is in that payout or the next, in full', async () => {
  await world.ask('PUT', '', { hold_days: 30 });
  const first = await world.sell('t1', 1000);
  await world.ask('POST', `/commissions/${first}/approve`);
  await world.sell('t2', 2000);
  const reply = await whileLocked('t1', create, async (tx) => {
    const sale = await findSaleByTransaction(tx.db, world.program.id, 't2', 0);
    const commission = sale && (await lockCommissionOfSale(tx, world.program.id, sale.id));
    if (commission) await updateCommission(tx, commission, { status: 'approved', approved_at: START });
  });
  const [payout] = payoutsOf([reply]);
  const [next] = await world.payOut();
  expect((payout?.amount_cents ?? 0) + (next?.amount_cents ?? 0)).toBe(600);
  expect((payout?.commissions ?? 0) + (next?.commissions ?? 0)).toBe(2);
  expect(payout?.amount_cents).toBe((payout?.commissions ?? 0) === 2 ? 600 : 200);
});

test('a refund that waits for the creation of a payout lowers the payout', async () => {
  await world.sell('t1', 1000);
  await world.sell('t2', 2000);
  let created: Promise<Reply> | undefined;
  let refunded: Promise<Reply> | undefined;
  await second().write(OTHER_LANE, async (tx) => {
    await lockBalance(tx, world.program.id, world.anna.partnerId, 'USD');
    created = create();
    await waitForBlockedSessions(world.engine, 1);
    refunded = refundBy(2, 't1');
    await waitForBlockedSessions(world.engine, 2);
  });
  expect(payoutsOf(created ? [await created] : [])).toMatchObject([{ amount_cents: 600, commissions: 2 }]);
  expect((await refunded)?.body).toMatchObject({ status: 'reversed', deductionAmount: 2 });
  expect((await world.ask('GET', '/payouts')).body['data']).toMatchObject([{ amount_cents: 400 }]);
});

test('a refund that waits for a payment claws back the paid commission', async () => {
  await world.sell('t1', 1000);
  const [payout] = await world.payOut();
  let paid: Promise<Reply> | undefined;
  let refunded: Promise<Reply> | undefined;
  await second().write(OTHER_LANE, async (tx) => {
    await lockBalance(tx, world.program.id, world.anna.partnerId, 'USD');
    paid = world.end(payout?.id ?? 0, 'mark-paid');
    await waitForBlockedSessions(world.engine, 1);
    refunded = refundBy(2, 't1');
    await waitForBlockedSessions(world.engine, 2);
  });
  expect((await paid)?.body['data']).toMatchObject({ status: 'paid', amount_cents: 200 });
  expect((await refunded)?.body).toMatchObject({ status: 'reversed' });
  expect(await world.owed()).toEqual({ USD: [-200, 0] });
});

test('only one of several concurrent payments and cancellations in different processes takes effect', async () => {
  for (let round = 0; round < 5; round++) {
    await world.sell(`t${round}`, 1000);
    const [payout] = await world.payOut();
    const replies = await runConcurrently(24, (index) =>
      world.end(payout?.id ?? 0, index % 2 ? 'cancel' : 'mark-paid', {}, callOf(index)),
    );
    const ended = new Set(
      payoutsOf(replies.filter(({ status }) => status === 200)).map(({ status }) => status),
    );
    expect(ended.size).toBe(1);
    expect(replies.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
  }
});

test('an adjustment with an idempotency key is applied once when all processes receive it concurrently', async () => {
  const id = await world.sell('t1', 1000);
  const body = { amount_cents: -50, reason: 'r', idempotency_key: 'k' };
  const replies = await runConcurrently(30, (index) => world.adjust(id, body, callOf(index)));
  expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
  expect(await world.owed()).toEqual({ USD: [150, 150] });
});

test('concurrent operations of all kinds in all processes leave balanced books and return no 5xx', async () => {
  const commissions: number[] = [];
  for (let round = 0; round < 3; round++) {
    for (let sale = 0; sale < 6; sale++) {
      commissions.push(await world.sell(`t${round}-${sale}`, 1000, { code: sale % 2 ? 'anna' : 'ben' }));
    }
    const { body } = await world.ask('GET', '/payouts?status=pending&pageSize=100');
    const open = (body['data'] as PayoutData[]).map(({ id }) => id);
    const replies = await runConcurrently(60, (index): Promise<Reply> => {
      const commission = commissions[(index * 7) % commissions.length] ?? 0;
      const payout = open[index % Math.max(1, open.length)] ?? 0;
      switch (index % 6) {
        case 0:
          return create(index >> 2);
        case 1:
          return refundBy(index >> 2, `t${round}-${index % 4}`, index % 4 ? 300 : 0);
        case 2:
          return world.adjust(
            commission,
            { amount_cents: index % 4 ? 7 : -7, reason: 'r' },
            callOf(index >> 2),
          );
        case 3:
          return world.end(payout, 'cancel', {}, callOf(index >> 2));
        case 4:
          return world.ask('POST', `/commissions/${commission}/reject`, {}, callOf(index >> 2));
        default:
          return world.end(payout, 'mark-paid', {}, callOf(index >> 2));
      }
    });
    await Promise.all(
      [world.affkit, ...otherProcesses.map(({ affkit }) => affkit)].map(({ jobs }) => jobs.runOnce()),
    );
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await auditLedger(world.engine)).toEqual([]);
  }
});
