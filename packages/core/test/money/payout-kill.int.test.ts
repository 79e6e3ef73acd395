import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { createEndpoint } from '../../src/management/webhook-endpoints.ts';
import { createPayPalProvider } from '../../src/payout-provider/paypal.ts';
import { createStripeProvider } from '../../src/payout-provider/stripe.ts';
import { openDatabase } from '../durability/open-database.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { type CrashPoint, killablePayPal, killableStripe } from '../support/payout-kill-points.ts';
import { DAY, payoutWorldOn } from '../support/payout-world.ts';
import { PayPalStub } from '../support/paypal-stub.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import type { StripeTransfersStub } from '../support/stripe-transfers-stub.ts';
import { byDepth } from '../support/test-depth.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { makeWorld, unwrap } from '../support/world.ts';
import type { PayoutProcessPlan, ProviderPlan } from './payout-process.ts';

const HOUR = 3_600_000;
const NODE_PAYOUTS = byDepth({ short: 24, long: 200 });

const DATABASES = {
  SQLite: () => {
    const folder = mkdtempSync(join(tmpdir(), 'affkit-payouts-'));
    return Promise.resolve({
      url: join(folder, 'affkit.db'),
      drop: () => rmSync(folder, { recursive: true }),
    });
  },
  Postgres: async () => {
    const url = await createMigratedDatabase(inject('postgresUrl'));
    return { url, drop: () => dropDatabase(url) };
  },
};

const SERVICES = {
  PayPal: { start: killablePayPal, method: 'paypal', rounds: byDepth({ short: 2, long: 50 }) },
  Stripe: { start: killableStripe, method: 'stripe', rounds: byDepth({ short: 1, long: 50 }) },
} as const;

/** In a short run, the first database gets the points at even positions, and the second one those at odd positions. */
const STEP = byDepth({ short: Object.keys(DATABASES).length, long: 1 });

const CASES = Object.entries(SERVICES).flatMap(([name, service]) =>
  Object.entries(DATABASES).map(([engine, create], index) => ({
    name,
    engine,
    ...service,
    create,
    firstPoint: index % STEP,
  })),
);

test.each(CASES)(
  'with $name on $engine, a kill at any step loses no payout, and each payout is sent and announced only once ($rounds rounds)',
  { timeout: 300_000 + 50 * 20_000 },
  async ({ start, method, rounds, create, firstPoint }) => {
    const service = await start();
    const { stub } = service;
    const receiver = await openReceiver();
    const { url, world, drop } = await openKillWorld(create, method, stub, receiver.host);
    const endpoint = { url: receiver.url, event_types: ['payout.paid' as const] };
    receiver.secrets.push(unwrap(await createEndpoint(world.affkit.runtime, world.program, endpoint)).secret);
    const paidIds: number[] = [];
    const partners = { anna: world.anna, ben: world.ben };
    for (const [code, { partnerId: id }] of Object.entries(partners)) {
      const account = service.accountOf(code);
      const sent = method === 'paypal' ? { method, email: account } : { method, stripe_account_id: account };
      const partner = { id, workspaceId: world.workspaceId };
      await changePayoutDetails(world.affkit.runtime, partner, toPayoutDetails(sent));
    }
    const once = { [service.accountOf('anna')]: 1, [service.accountOf('ben')]: 1 };
    const run = async (afterMs: number) => {
      world.clock.now += afterMs;
      await world.affkit.jobs.runOnce();
    };

    for (let round = 0; round < rounds; round++) {
      const point = service.points[(firstPoint + round * STEP) % service.points.length];
      if (!point) throw new Error('There is no crash point');
      service.empty();
      for (const code of Object.keys(partners)) await world.sell(`${code}-${round}`, 10_000, { code });
      const payouts = await world.payOut();
      paidIds.push(...payouts.map(({ id }) => id));
      const order = { channel: `provider:${method}`, currency: 'USD' };
      const { body } = await world.ask('POST', '/payout-batches', order);
      const { id: batchId } = body['data'] as { id: number };
      if (point.phase !== 'send') {
        service.prepare(point.phase);
        await run(0);
        service.settle();
        world.clock.now += HOUR;
      }

      const plan: PayoutProcessPlan = {
        database: url,
        provider: providerPlanOf(method, stub),
        now: world.clock.now,
        crash: point.at === 'write' ? { write: point.n, isCommitted: point.isCommitted } : null,
      };
      expect(await runUntilKilled(plan, stub, point), JSON.stringify(point)).toBe('SIGKILL');

      // Other processes continue when the lease has expired.
      await run(HOUR);
      service.settle();
      await run(DAY);
      const detail = await world.ask('GET', `/payout-batches/${batchId}`);
      expect(detail.body['data'], JSON.stringify(point)).toMatchObject({
        status: 'closed',
        paid: payouts.length,
        items: payouts.map(() => ({ status: 'paid', transfer_state: 'done' })),
      });
      expect(stub.paidTimes(), JSON.stringify(point)).toEqual(once);
      expect(new Set(stub.created).size).toBe(payouts.length);
    }
    expect(await auditLedger(world.engine)).toEqual([]);
    expect(await world.owed()).toEqual({ USD: [0, 0] });
    await run(0);
    const announced = receiver.received.map(({ event }) =>
      event.type === 'payout.paid' ? event.data.payout_id : null,
    );
    expect(announced.toSorted()).toEqual(paidIds.toSorted());
    await world.affkit.close();
    await receiver.close();
    await stub.close();
    await drop();
  },
);

test(`two processes on one Postgres database send each of ${NODE_PAYOUTS} payouts once`, async () => {
  const stub = await PayPalStub.start();
  const { url, world, drop } = await openKillWorld(DATABASES.Postgres, 'paypal', stub);
  const anna = { id: world.anna.partnerId, workspaceId: world.workspaceId };
  const details = toPayoutDetails({ method: 'paypal', email: 'anna@paypal.test' });
  await changePayoutDetails(world.affkit.runtime, anna, details);
  for (let count = 0; count < NODE_PAYOUTS; count++) {
    await world.sell(`sale-${count}`, 10_000);
    await world.payOut();
  }
  await world.ask('POST', '/payout-batches', { channel: 'provider:paypal', currency: 'USD' });
  // Delay each request, so that both processes are sending at the same time.
  stub.onStep = async (step) => void (step === 'received' && (await wait(20)));
  const provider = providerPlanOf('paypal', stub);
  const plan: PayoutProcessPlan = { database: url, provider, now: world.clock.now, crash: null };
  const children = [startProcess(plan), startProcess(plan)];
  const lines = children.map(({ stdout }) => createInterface(stdout)[Symbol.asyncIterator]());
  const next = async () => (await Promise.all(lines.map((line) => line.next()))).map(({ value }) => value);
  expect(await next()).toEqual(['ready', 'ready']);
  for (const { stdin } of children) stdin.write('go\n');
  const sent = (await next()).map(Number);
  expect(sent.every((count) => count > 0)).toBe(true);
  expect(sent.reduce((sum, count) => sum + count, 0)).toBe(NODE_PAYOUTS);
  expect(new Set(stub.created).size).toBe(NODE_PAYOUTS);
  expect(stub.created).toHaveLength(NODE_PAYOUTS);
  expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': NODE_PAYOUTS });
  const states = await world.engine.read
    .selectFrom('payout_transfers')
    .select(['state', 'attempts'])
    .execute();
  expect(states).toEqual(Array.from({ length: NODE_PAYOUTS }, () => ({ state: 'accepted', attempts: 1 })));
  for (const payout of stub.payouts) payout.status = 'SUCCESS';
  world.clock.now += HOUR;
  await world.affkit.jobs.runOnce();
  expect(await world.owed()).toEqual({ USD: [0, 0] });
  expect(await auditLedger(world.engine)).toEqual([]);
  await world.affkit.close();
  await stub.close();
  await drop();
});

async function openKillWorld(
  create: (typeof DATABASES)['SQLite'],
  method: 'paypal' | 'stripe',
  stub: PayPalStub | StripeTransfersStub,
  webhookHost?: string,
) {
  const { url, drop } = await create();
  const plan = providerPlanOf(method, stub);
  const provider =
    plan.name === 'paypal' ? createPayPalProvider(plan.settings) : createStripeProvider(plan.settings);
  const options = {
    payoutProviders: [provider],
    payoutWorkspaces: 'all' as const,
    ...(webhookHost !== undefined && { webhookAllowHosts: [webhookHost] }),
  };
  return { url, drop, world: await payoutWorldOn(await makeWorld(openDatabase(url), {}, options)) };
}

function providerPlanOf(name: 'paypal' | 'stripe', { settings }: PayPalStub | StripeTransfersStub) {
  // The cast is safe because `name` and `settings` belong to the same service.
  return { name, settings } as ProviderPlan;
}

function startProcess(plan: PayoutProcessPlan) {
  const script = join(import.meta.dirname, 'payout-process.ts');
  const args = ['--conditions=@affkit/source', script, JSON.stringify(plan)];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** @returns the signal that ended the process, or its exit code */
async function runUntilKilled(
  plan: PayoutProcessPlan,
  stub: PayPalStub | StripeTransfersStub,
  point: CrashPoint,
): Promise<string> {
  const child = startProcess(plan);
  const exited = once(child, 'exit');
  child.stdin.write('go\n');
  let calls = 0;
  stub.onStep = async (step: string) => {
    if (step !== point.at) return;
    calls += 1;
    if (calls !== point.n) return;
    child.kill('SIGKILL');
    await exited;
  };
  const [code, signal] = await exited;
  stub.onStep = () => {};
  return String(signal ?? code);
}
