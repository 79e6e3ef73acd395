import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { makeClient, rejectionOf, SALE, TOKEN } from '../../test/client.ts';
import { fakeServer } from '../../test/fake-server.ts';
import { manualClock } from '../../test/manual-clock.ts';
import { down, leaveSale, saleOf, startSpool } from '../../test/spool-client.ts';
import { filesIn } from '../../test/spool-folder.ts';
import { until } from '../../test/until.ts';
import type { Transport } from '../transport.ts';
import { fileSpool } from './index.ts';

const DAY_MS = 24 * 3_600_000;

describe('spooled events', () => {
  test('an event is queued, sent with the time of its call, reported to onDelivered and removed', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    const { affkit, delivered } = startSpool(dir, server);
    const result = await affkit.sale(SALE);
    expect(result).toEqual({ status: 'queued', spoolId: expect.stringMatching(/^\d{15}-.*\.json$/) });
    await affkit.flush();
    expect(server.recorded).toEqual([{ ...SALE, occurred_at: '2026-03-01T12:00:00.000Z', age_ms: 0 }]);
    expect([filesIn(dir, 'ready'), filesIn(dir, 'tmp'), delivered]).toEqual([[], [], ['sale recorded']]);
  });

  test('an event is not stored if it is invalid or its signal is aborted', async () => {
    const dir = makeTempFolder();
    const { affkit } = startSpool(dir, fakeServer());
    expect(await rejectionOf(affkit.refund({ transaction_id: '' }))).toMatchObject({ code: 'invalid_field' });
    expect(await rejectionOf(affkit.sale(SALE, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
    });
    await affkit.flush();
    expect(filesIn(dir, 'ready')).toEqual([]);
  });

  test('an event is sent by the next process if this process closes its client first', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    await leaveSale(dir, server, SALE);
    expect(filesIn(dir, 'ready')).toHaveLength(1);
    server.fault = () => undefined;
    const second = startSpool(dir, server);
    await until(() => server.recorded.length === 1);
    await second.affkit.flush();
    expect(filesIn(dir, 'ready')).toEqual([]);
  });

  test('an event that the server has already recorded is reported as a duplicate and removed', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    const { affkit, delivered } = startSpool(dir, server);
    await affkit.sale(SALE);
    await affkit.sale(SALE);
    await affkit.flush();
    expect([delivered, server.recorded.length]).toEqual([['sale recorded', 'sale duplicate'], 1]);
  });

  test('the file of an event contains no token and is readable only by its owner', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    server.fault = down;
    const { affkit } = startSpool(dir, server);
    await affkit.sale(SALE);
    const [name = ''] = filesIn(dir, 'ready');
    const file = join(dir, 'ready', name);
    expect(await files.readFile(file, 'utf8')).not.toContain(TOKEN);
    if (process.platform !== 'win32') {
      expect((await files.stat(file)).mode & 0o077).toBe(0);
      expect((await files.stat(join(dir, 'ready'))).mode & 0o077).toBe(0);
    }
  });
});

describe('clock changes', () => {
  test('an event is delivered, with an age of whole milliseconds, if the clock counts fractions', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    const { affkit, clock } = startSpool(dir, server);
    clock.advance(0.25);
    await affkit.sale(SALE);
    clock.advance(0.5);
    await affkit.flush();
    expect(server.recorded).toEqual([{ ...SALE, occurred_at: '2026-03-01T12:00:00.000Z', age_ms: 0 }]);
    expect(filesIn(dir, 'ready')).toEqual([]);
  });

  test.each([
    ['back', -DAY_MS],
    ['forward', DAY_MS],
  ])('setting the clock %s a day keeps the delivery order, even after a restart', async (_where, jumpMs) => {
    const dir = makeTempFolder();
    const server = fakeServer();
    server.fault = down;
    const first = startSpool(dir, server);
    await first.affkit.sale({ ...saleOf('a'), customer_key: 'user' });
    first.clock.advance(jumpMs);
    await first.affkit.sale({ ...saleOf('b'), customer_key: 'user' });
    await first.affkit.close();
    const clock = manualClock(first.clock.now() + jumpMs);
    const second = startSpool(dir, server, {}, { runtime: clock });
    await second.affkit.sale({ ...saleOf('c'), customer_key: 'user' });
    await second.affkit.refund({ transaction_id: 'a' });
    server.fault = () => undefined;
    await second.affkit.flush();
    const order = server.log.filter((line) => line.endsWith(' 200'));
    expect(order.filter((line) => line.startsWith('sale'))).toEqual([
      'sale a 200',
      'sale b 200',
      'sale c 200',
    ]);
    expect(order.indexOf('refund a 200')).toBeGreaterThan(order.indexOf('sale a 200'));
  });
});

describe('spools', () => {
  test('a spool belongs to one client, and flush rejects after close', async () => {
    const spool = fileSpool({ dir: makeTempFolder() });
    const { affkit } = makeClient({ spool });
    onTestFinished(() => affkit.close());
    expect(() => makeClient({ spool })).toThrow('This spool already has a client');
    await affkit.close();
    await affkit.close();
    expect(await rejectionOf(affkit.flush())).toMatchObject({ code: 'spool_closed' });
  });

  test.each([
    ['after the client was used', true],
    ['without an earlier call', false],
  ])('a call after close (%s) stores its event, which the next client sends', async (_when, isUsed) => {
    const dir = makeTempFolder();
    const server = fakeServer();
    const first = startSpool(dir, server);
    if (isUsed) {
      await first.affkit.sale(saleOf('a'));
      await first.affkit.flush();
    }
    await first.affkit.close();
    expect(await first.affkit.sale(saleOf('late'))).toMatchObject({ status: 'queued' });
    expect(first.logged).toMatchObject([
      { level: 'warn', message: expect.stringMatching(/^The spool is closed/) },
    ]);
    expect([filesIn(dir, 'ready').length, server.log.includes('sale late 200')]).toEqual([1, false]);
    const second = startSpool(dir, server);
    await second.affkit.flush();
    expect([filesIn(dir, 'ready'), server.log.at(-1)]).toEqual([[], 'sale late 200']);
  });

  test('calls during close are delivered or stored, and none is lost', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    const { affkit } = startSpool(dir, server);
    const closed = affkit.close();
    await Promise.all(['a', 'b', 'c'].map((id) => affkit.sale(saleOf(id))));
    await closed;
    await affkit.sale(saleOf('d'));
    const next = startSpool(dir, server);
    await next.affkit.flush();
    expect(server.log.toSorted()).toEqual(['a', 'b', 'c', 'd'].map((id) => `sale ${id} 200`));
  });

  test('every call of close waits for the requests in flight', async () => {
    const server = fakeServer();
    const { promise: replied, resolve: reply } = Promise.withResolvers<void>();
    const transport: Transport = async (request) => {
      await replied;
      return server.transport(request);
    };
    const { affkit } = startSpool(makeTempFolder(), server, {}, { transport });
    await affkit.sale(SALE);
    await until(() => affkit.stats()?.inFlight === 1);
    const sentAtClose: number[] = [];
    const closing = [1, 2].map(() => affkit.close().then(() => sentAtClose.push(server.log.length)));
    await setImmediate();
    reply();
    await Promise.all(closing);
    expect(sentAtClose).toEqual([1, 1]);
  });

  test('a client declared with await using flushes and closes its spool at the end of the scope', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    {
      await using affkit = startSpool(dir, server).affkit;
      await affkit.sale(SALE);
    }
    expect(server.recorded).toHaveLength(1);
    expect(filesIn(dir, 'ready')).toEqual([]);
    expect(await files.readdir(dir)).not.toContain('lock');
  });

  test('calls throw while the folder of the spool cannot be written, and succeed once it can be written', async () => {
    const dir = join(makeTempFolder(), 'spool');
    await files.writeFile(dir, 'a file, not a folder');
    const server = fakeServer();
    const { affkit, clock, logged } = startSpool(dir, server);
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({
      name: 'AffkitConfigurationError',
      code: 'spool_unavailable',
      message: expect.stringMatching(/^The spool .*spool cannot be written: ENOTDIR: .*$/),
    });
    let advances = 0;
    await until(
      () => advances > 500,
      () => {
        advances += 1;
        clock.advance(100);
      },
    );
    expect(logged).toMatchObject([{ level: 'warn', message: 'The spool could not be read' }]);
    await files.rm(dir);
    await affkit.sale(SALE);
    await until(
      () => server.recorded.length === 1,
      () => clock.advance(100),
    );
  });

  test.each([
    { dir: '' },
    { maxEvents: 0 },
    { pollMs: 1.5 },
    { concurrency: Number.NaN },
    { flushMs: 2 ** 31 },
  ])('fileSpool throws for the invalid options %j', (options) => {
    expect(() => fileSpool({ dir: '/nowhere', ...options })).toThrow(/must/);
  });

  test('fileSpool rejects an unknown option', () => {
    const options = { dir: '/nowhere', maxEvent: 5 };
    expect(() => fileSpool(options)).toThrow(/^Unknown option maxEvent\. Valid options: dir, maxEvents, /);
  });

  test('without a spool, stats() returns undefined, and flush and close resolve', async () => {
    const { affkit } = makeClient();
    expect(affkit.stats()).toBeUndefined();
    await affkit.flush();
    await affkit.close();
  });
});
