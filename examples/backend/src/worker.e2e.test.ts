import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { TestAffkit } from '@affkit/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../packages/core/test/support/make-temp-folder.ts';
import { serveTestAffkit } from '../../../packages/testing/test/serve-test-affkit.ts';
import { startBackend } from '../test/backend.ts';
import { Orders } from './outbox-worker.ts';

/** Starts the worker with a new database, and a partner who referred the customer `user-1`. */
async function startWorker(beforeStart: (orders: Orders, server: TestAffkit) => Promise<void>) {
  const { affkit, partner, server } = await startBackend();
  await affkit.lead({ click_id: await partner.click(), customer_key: 'user-1' });
  const folder = makeTempFolder();
  const path = join(folder, 'orders.db');
  const orders = new Orders(path);
  onTestFinished(() => orders.close());
  await beforeStart(orders, server);

  const env = { AFFKIT_BASE_URL: await serveTestAffkit(server), AFFKIT_TOKEN: server.token, EVERY_MS: '20' };
  const script = join(import.meta.dirname, 'worker.ts');
  const args = ['--conditions=@affkit/source', '--disable-warning=ExperimentalWarning', script, path];
  const worker = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    worker.kill('SIGKILL');
  });
  return { partner, orders, path, worker, exited: once(worker, 'exit') };
}

test('the worker sends the stored events, waits while the server is down, and exits on SIGTERM', async () => {
  const { partner, orders, worker, exited } = await startWorker(async (stored, server) => {
    server.faults.add({ kind: 'reply', status: 401 });
    await stored.pay({ id: 1, userId: 'user-1', amountCents: 10_000 });
  });
  const printed: unknown[] = [];
  for await (const line of createInterface({ input: worker.stdout })) {
    printed.push(JSON.parse(line));
    if (printed.length === 1) await orders.pay({ id: 2, userId: 'user-1', amountCents: 5_000 });
    // A second signal would end the worker immediately.
    if (!worker.killed && (await partner.balanceCents()) === 3_000) worker.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
  expect(printed[0]).toEqual({ delivered: 0, hasProblem: true });
  expect(printed.slice(1)).toContainEqual({ delivered: expect.any(Number), hasProblem: false });
});

test('the worker continues after its database has failed', async () => {
  const { partner, orders, path, worker, exited } = await startWorker((stored) =>
    stored.pay({ id: 1, userId: 'user-1', amountCents: 10_000 }),
  );
  const database = new DatabaseSync(path, { timeout: 5_000 });
  onTestFinished(() => database.close());
  const printed: unknown[] = [];
  for await (const line of createInterface({ input: worker.stdout })) {
    printed.push(JSON.parse(line));
    if (printed.length === 1) database.exec('alter table affkit_outbox rename to hidden');
    if (printed.length === 2) {
      database.exec('alter table hidden rename to affkit_outbox');
      await orders.pay({ id: 2, userId: 'user-1', amountCents: 5_000 });
    }
    if (!worker.killed && (await partner.balanceCents()) === 3_000) worker.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
  expect(printed.slice(0, 2)).toEqual([
    { delivered: 1, hasProblem: false },
    { delivered: 0, hasProblem: true },
  ]);
});
