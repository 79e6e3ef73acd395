import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { Affkit } from '../src/affkit.ts';
import { AffkitSpoolFullError } from '../src/errors.ts';
import { fileSpool } from '../src/spool/index.ts';
import { SALE } from './client.ts';
import { startFakeHttpServer } from './fake-http-server.ts';
import { fakeServer } from './fake-server.ts';
import { killWhileSpooling } from './kill-while-spooling.ts';
import { filesIn } from './spool-folder.ts';

test('each event acknowledged before a SIGKILL is recorded once, and no refund arrives before its sale', async () => {
  const server = await startFakeHttpServer();
  onTestFinished(() => server.close());
  const dir = makeTempFolder();
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    // In the first round, the server is down. In later rounds, the processes are also killed while they send.
    server.fault = () => (round === 0 ? [503, { code: 'unavailable' }] : undefined);
    const both = await Promise.all([
      killWhileSpooling(37, [dir, server.baseUrl, `a${round}`]),
      killWhileSpooling(53, [dir, server.baseUrl, `b${round}`]),
    ]);
    acknowledged.push(...both.flat());
  }
  const affkit = new Affkit({
    token: 'aff_token',
    baseUrl: server.baseUrl,
    logLevel: 'off',
    spool: fileSpool({ dir, pollMs: 20, leaseMs: 200, flushMs: 60_000 }),
  });
  await affkit.flush();
  expect(affkit.stats()).toMatchObject({ queued: 0, dead: 0 });
  await affkit.close();

  const firsts = server.log.filter((line) => line.endsWith(' 200')).map((line) => line.slice(0, -4));
  const recorded = new Set(firsts);
  expect(acknowledged.length).toBeGreaterThanOrEqual(3 * 90);
  expect(acknowledged.filter((line) => !recorded.has(line))).toEqual([]);
  expect(server.log.filter((line) => line.endsWith(' 404'))).toEqual([]);
  const sales = server.recorded.filter((event) => 'amount_cents' in event);
  expect(new Set(sales.map(({ transaction_id }) => transaction_id)).size).toBe(sales.length);
  expect(filesIn(dir, 'ready')).toEqual([]);
});

const BURST = byDepth({ short: { calls: 600, files: 200 }, long: { calls: 3_000, files: 1_024 } });

test(`${BURST.calls} concurrent calls are stored and delivered by a process that can open only ${BURST.files} files`, async () => {
  const server = await startFakeHttpServer();
  onTestFinished(() => server.close());
  const dir = makeTempFolder();
  const script = join(import.meta.dirname, 'burst-process.ts');
  const command = `ulimit -n ${BURST.files}; exec "$0" "$@"`;
  const args = ['-c', command, process.execPath, script, dir, server.baseUrl, String(BURST.calls)];
  const { stdout } = await promisify(execFile)('sh', args);
  expect(JSON.parse(stdout)).toEqual({ queued: BURST.calls });
  expect(new Set(server.recorded.map(({ transaction_id }) => transaction_id)).size).toBe(BURST.calls);
  expect([filesIn(dir, 'ready'), filesIn(dir, 'dead'), filesIn(dir, 'tmp')]).toEqual([[], [], []]);
});

/** Mounts a file system of 256 KiB. Returns undefined if the user may not mount file systems. */
function mountSmallDisk(): string | undefined {
  const dir = makeTempFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', dir], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', dir]);
  });
  return dir;
}

test('a full disk loses no acknowledged event', async () => {
  const disk = mountSmallDisk();
  // Without a small disk, `maxEvents` makes the spool full instead.
  const dir = join(disk ?? makeTempFolder(), 'spool');
  const server = fakeServer();
  server.fault = () => [503, { code: 'unavailable' }];
  const affkit = new Affkit({
    token: 'aff_token',
    baseUrl: 'https://affkit.test',
    transport: server.transport,
    maxRetries: 0,
    logLevel: 'off',
    spool: fileSpool({ dir, pollMs: 20, leaseMs: 200, ...(disk === undefined && { maxEvents: 60 }) }),
  });
  onTestFinished(() => affkit.close());
  const stored: string[] = [];
  let rejection: unknown;
  while (rejection === undefined) {
    const transaction_id = `order-${stored.length}`;
    const line_items = { note: 'x'.repeat(3000) };
    await affkit.sale({ ...SALE, transaction_id, line_items }).then(
      () => stored.push(transaction_id),
      (error: unknown) => {
        rejection = error;
      },
    );
  }
  expect(rejection).toBeInstanceOf(AffkitSpoolFullError);
  expect(filesIn(dir, 'tmp')).toEqual([]);
  expect(stored.length).toBeGreaterThan(30);
  server.fault = () => undefined;
  await affkit.flush();
  expect(server.recorded.map(({ transaction_id }) => transaction_id)).toEqual(stored);
  await affkit.sale({ ...SALE, transaction_id: 'later' });
  await affkit.flush();
  expect(server.recorded).toHaveLength(stored.length + 1);
});
