import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { event, invoice, invoicePayment, subscriptionSession } from '../support/stripe-events.ts';
import { invoiceLines } from '../support/stripe-lines.ts';
import { makeWebhookWorld, sign, WEBHOOK_SECRET, type WebhookWorld } from '../support/webhook-world.ts';
import { createCaller, SECRET } from '../support/world.ts';

// Like two processes, the two engines share no state except the database.
let url: string;
let world: WebhookWorld;
let otherProcess: ReturnType<typeof createAffkit>;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWebhookWorld(postgresEngine({ connectionString: url }));
  const engine = postgresEngine({ connectionString: url });
  otherProcess = createAffkit({ engine, secret: SECRET, now: () => world.clock.now });
});

afterEach(async () => {
  expect(await auditLedger(world.engine)).toEqual([]);
  await otherProcess.close();
  await world.affkit.close();
  await dropDatabase(url);
});

/** Sends an event to one of the processes. Even and odd indexes select different processes. */
async function send(one: object, index: number): Promise<string> {
  if (index % 2 === 0) return outcomeOf(await world.send(one));
  const body = JSON.stringify(one);
  const header = { 'stripe-signature': sign(body, WEBHOOK_SECRET, world.clock.now) };
  return outcomeOf(await createCaller(otherProcess)('POST', world.connection.path, body, header));
}

function outcomeOf({ status, body }: { status: number; body: Record<string, unknown> }): string {
  return status === 200 ? String(body['outcome']) : `${status} ${JSON.stringify(body)}`;
}

test('applies an event once when both processes receive it 20 times concurrently', async () => {
  for (const name of ['a', 'b', 'c']) {
    const same = world.completed(name);
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => send(same, index)));
    expect(outcomes.sort()).toEqual([...Array(19).fill('duplicate'), 'sale_recorded']);
  }
  expect(await world.sales()).toHaveLength(3);
});

test('records one sale for a webhook at one process and an API call at the other', async () => {
  const authorization = { authorization: `Bearer ${world.token}` };
  for (let round = 0; round < 20; round++) {
    const name = `n${round}`;
    const sale = { transaction_id: `pi_${name}`, amount_cents: 1999, customer_key: 'user-1' };
    const [webhook, api] = await Promise.all([
      send(world.completed(name), round),
      createCaller(otherProcess)('POST', '/api/v1/track/sale', sale, authorization),
    ]);
    expect([
      ['sale_recorded', 409],
      ['duplicate', 200],
    ]).toContainEqual([webhook, api.status]);
  }
  expect(await world.sales()).toHaveLength(20);
});

test('deducts once for 20 concurrent refunds of a charge at both processes', async () => {
  await send(world.completed('a'), 0);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => send(world.refunded('a', 500), index)),
  );
  expect(outcomes.sort()).toEqual([...Array(19).fill('refund_skipped'), 'refunded']);
  expect(await world.commissions()).toEqual([{ id: 'pi_a', status: 'refunded', deducted_cents: 100 }]);
});

test('records a waiting payment once when both processes receive its invoice without metadata', async () => {
  const policies = `/api/advertiser/affiliate-programs/${world.program.id}/commission-policies`;
  const policy = { type: 'percent', rate: 50, product_id: 'prod_pro' };
  expect(await world.call('POST', policies, policy, world.session)).toMatchObject({ status: 201 });
  for (const name of ['a', 'b', 'c']) {
    const session = event('checkout.session.completed', subscriptionSession(name, world.metadata));
    expect(await send(session, 0)).toBe('parked');
    const lines = invoiceLines('current', name, [{ name: 'pro', amount: 1999 }]);
    const bills = Array.from({ length: 10 }, () =>
      event('invoice.paid', invoice('current', name, name, {}, { lines })),
    );
    const outcomes = await Promise.all(bills.map(send));
    expect(outcomes.sort()).toEqual([...Array(9).fill('duplicate'), 'sale_recorded']);
  }
  world.clock.now += 600_000;
  await Promise.all([world.affkit.jobs.runOnce(), otherProcess.jobs.runOnce()]);
  expect((await world.balances()).program).toEqual({ USD: 3000 });
});

test('concurrent events of a payment at both processes lead to the same commissions after the jobs have run', async () => {
  const rounds = Array.from({ length: 16 }, (_, index) => `n${index}`);
  for (const [round, name] of rounds.entries()) {
    const events = [
      event('checkout.session.completed', subscriptionSession(name, world.metadata)),
      event('invoice_payment.paid', invoicePayment(name)),
      event('invoice.paid', invoice('current', name, name, world.metadata)),
      world.refunded(name, 500),
    ];
    const outcomes = await Promise.all(events.map((one, index) => send(one, index + round)));
    expect(outcomes.filter((outcome) => outcome.startsWith('5'))).toEqual([]);
  }
  world.clock.now += 60_000;
  await Promise.all([world.affkit.jobs.runOnce(), otherProcess.jobs.runOnce()]);
  expect(await world.commissions()).toMatchObject(
    rounds.map(() => ({ status: 'refunded', deducted_cents: 100 })),
  );
});
