import { expect, onTestFinished, test } from 'vitest';
import { startBackend } from '../test/backend.ts';
import { Orders } from './outbox-worker.ts';

test('keeps the event of an order while the server rejects the token, and then sends the event only once', async () => {
  const { affkit, partner, server } = await startBackend();
  await affkit.lead({ click_id: await partner.click(), customer_key: 'user-1' });
  const orders = new Orders(':memory:');
  onTestFinished(() => orders.close());

  server.faults.always({ kind: 'reply', status: 401 });
  await orders.pay({ id: 1, userId: 'user-1', amountCents: 10_000 });
  await expect(orders.pay({ id: 1, userId: 'user-1', amountCents: 10_000 })).rejects.toThrow('UNIQUE');
  expect(await orders.relayEvents(affkit)).toEqual({ delivered: 0, hasProblem: true });

  server.faults.clear();
  expect(await orders.relayEvents(affkit)).toEqual({ delivered: 1, hasProblem: false });
  expect(await orders.relayEvents(affkit)).toEqual({ delivered: 0, hasProblem: false });
  expect(await partner.balanceCents()).toBe(2_000);
});

test('stores payments that arrive at the same time, even if one of them fails', async () => {
  const orders = new Orders(':memory:');
  onTestFinished(() => orders.close());
  const pay = (id: number) => orders.pay({ id, userId: 'user-1', amountCents: 10_000 });
  const outcomes = await Promise.allSettled([pay(1), pay(1), pay(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const { affkit } = await startBackend();
  expect(await orders.relayEvents(affkit)).toEqual({ delivered: 2, hasProblem: false });
});
