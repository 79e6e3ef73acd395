import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../packages/testing/test/listen.ts';
import { startBackend } from '../test/backend.ts';
import { Orders } from './outbox-worker.ts';

test('the worker sends the stored events, waits while the server is down, and exits on SIGTERM', async () => {
  const { affkit, partner, server } = await startBackend();
  await affkit.lead({ click_id: await partner.click(), customer_key: 'user-1' });
  const folder = mkdtempSync(join(tmpdir(), 'affkit-worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'orders.db');
  const orders = new Orders(path);
  onTestFinished(() => orders.close());
  server.faults.add({ kind: 'reply', status: 401 });
  await orders.pay({ id: 1, userId: 'user-1', amountCents: 10_000 });

  const env = { AFFKIT_BASE_URL: await listen(server), AFFKIT_TOKEN: server.token, EVERY_MS: '20' };
  const script = join(import.meta.dirname, 'worker.ts');
  const args = ['--conditions=@affkit/source', '--disable-warning=ExperimentalWarning', script, path];
  const worker = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    worker.kill('SIGKILL');
  });
  const exited = once(worker, 'exit');
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
