import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { createPayPalProvider } from '../../src/payout-provider/paypal.ts';
import { openDatabase } from '../durability/open-database.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { DAY, payoutWorldOn } from '../support/payout-world.ts';
import { PayPalStub } from '../support/paypal-stub.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { byDepth } from '../support/test-depth.ts';
import { makeWorld } from '../support/world.ts';
import type { PayoutProcessPlan } from './payout-process.ts';

const ROUNDS = byDepth({ short: 4, long: 50 });
const HOUR = 3_600_000;

/** Where a process is killed: in the `n`th transaction, or in the `n`th call of PayPal. */
type CrashPoint =
  | {
      readonly phase: 'send' | 'read';
      readonly at: 'write';
      readonly n: number;
      readonly isCommitted: boolean;
    }
  | { readonly phase: 'send'; readonly at: 'received' | 'moved' | 'replied'; readonly n: number }
  | { readonly phase: 'read'; readonly at: 'read'; readonly n: number };

// The four of the short run come first: after the lease, after the payment, before its id is stored, and while the
// result is booked.
const POINTS: readonly CrashPoint[] = [
  { phase: 'send', at: 'moved', n: 2 },
  { phase: 'read', at: 'write', n: 5, isCommitted: false },
  { phase: 'send', at: 'write', n: 3, isCommitted: false },
  { phase: 'send', at: 'write', n: 1, isCommitted: true },
  ...[1, 2].flatMap((n): CrashPoint[] => [
    { phase: 'send', at: 'received', n },
    { phase: 'send', at: 'moved', n: 1 },
    { phase: 'send', at: 'replied', n },
    { phase: 'read', at: 'read', n },
  ]),
  ...[1, 2, 3, 4].flatMap((n) => writeAt('send', n)),
  ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => writeAt('read', n)),
];

function writeAt(phase: 'send' | 'read', n: number): CrashPoint[] {
  return [false, true].map((isCommitted) => ({ phase, at: 'write', n, isCommitted }));
}

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

test.each(Object.entries(DATABASES))(
  `a process killed at any step of sending neither loses a payout nor sends it twice on %s (${ROUNDS} rounds)`,
  { timeout: 60_000 + ROUNDS * 20_000 },
  async (_, create) => {
    const { url, drop } = await create();
    const stub = await PayPalStub.start();
    const payoutProviders = [createPayPalProvider(stub.settings)];
    const world = await payoutWorldOn(
      await makeWorld(openDatabase(url), {}, { payoutProviders, payoutWorkspaces: 'all' }),
    );
    const partners = { anna: world.anna, ben: world.ben };
    for (const [code, { partnerId: id }] of Object.entries(partners)) {
      const details = toPayoutDetails({ method: 'paypal', email: `${code}@paypal.test` });
      await changePayoutDetails(world.affkit.runtime, { id, workspaceId: world.workspaceId }, details);
    }
    const run = async (afterMs: number) => {
      world.clock.now += afterMs;
      await world.affkit.jobs.runOnce();
    };

    for (let round = 0; round < ROUNDS; round++) {
      const point = POINTS[round % POINTS.length];
      if (!point) throw new Error('There is no crash point');
      stub.payouts.length = 0;
      stub.created.length = 0;
      for (const code of Object.keys(partners)) await world.sell(`${code}-${round}`, 10_000, { code });
      const payouts = await world.payOut();
      const { body } = await world.ask('POST', '/payout-batches', {
        channel: 'provider:paypal',
        currency: 'USD',
      });
      const { id: batchId } = body['data'] as { id: number };
      if (point.phase === 'read') {
        await run(0);
        for (const payout of stub.payouts) payout.status = 'SUCCESS';
        world.clock.now += HOUR;
      }

      const plan: PayoutProcessPlan = {
        database: url,
        paypal: stub.settings,
        now: world.clock.now,
        crash: point.at === 'write' ? { write: point.n, isCommitted: point.isCommitted } : null,
      };
      expect(await runUntilKilled(plan, stub, point), JSON.stringify(point)).toBe('SIGKILL');

      // Other processes continue when the lease has expired.
      await run(HOUR);
      for (const payout of stub.payouts) payout.status = 'SUCCESS';
      await run(DAY);
      const detail = await world.ask('GET', `/payout-batches/${batchId}`);
      expect(detail.body['data'], JSON.stringify(point)).toMatchObject({
        status: 'closed',
        paid: payouts.length,
        items: payouts.map(() => ({ status: 'paid', transfer_state: 'done' })),
      });
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': 1, 'ben@paypal.test': 1 });
      expect(new Set(stub.created).size).toBe(payouts.length);
    }
    expect(await auditLedger(world.engine)).toEqual([]);
    expect(await world.owed()).toEqual({ USD: [0, 0] });
    await world.affkit.close();
    await stub.close();
    await drop();
  },
);

/** @returns the signal that ended the process, or its exit code */
async function runUntilKilled(plan: PayoutProcessPlan, stub: PayPalStub, point: CrashPoint): Promise<string> {
  const script = join(import.meta.dirname, 'payout-process.ts');
  const args = ['--conditions=@affkit/source', script, JSON.stringify(plan)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  let calls = 0;
  stub.onStep = async (step) => {
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
