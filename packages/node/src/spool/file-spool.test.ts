import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { makeClient, rejectionOf, SALE, TOKEN } from '../../test/client.ts';
import { type FakeServer, fakeServer } from '../../test/fake-server.ts';
import { manualClock } from '../../test/manual-clock.ts';
import { filesIn, makeFolder } from '../../test/spool-folder.ts';
import { until } from '../../test/until.ts';
import type { Affkit } from '../affkit.ts';
import type { AffkitOptions } from '../options.ts';
import { FileSpool } from './file-spool.ts';
import { type FileSpoolOptions, fileSpool } from './index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const saleOf = (id: string) => ({ transaction_id: id, amount_cents: 100, customer_key: `key-${id}` });

const open: Affkit[] = [];
afterEach(async () => {
  for (const affkit of open.splice(0)) await affkit.close();
});

/** A client with a spool in a folder; several may share one. */
function start(
  dir: string,
  server: FakeServer,
  spoolOptions: Partial<FileSpoolOptions> = {},
  options: AffkitOptions = {},
) {
  const dead: unknown[] = [];
  const delivered: string[] = [];
  const client = makeClient({
    spool: fileSpool({
      dir,
      onDead: ({ error }) => dead.push(error),
      onDelivered: ({ operation, result }) => delivered.push(`${operation} ${result.status}`),
      ...spoolOptions,
    }),
    transport: server.transport,
    maxRetries: 0,
    ...options,
  });
  open.push(client.affkit);
  return { ...client, dead, delivered };
}

const down = () => {
  throw new Error('connect ECONNREFUSED');
};

describe('a kept event', () => {
  test('is queued, sent with the time of its call, told of, and gone', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    const { affkit, delivered } = start(dir, server);
    const result = await affkit.sale(SALE);
    expect(result).toEqual({ status: 'queued', spoolId: expect.stringMatching(/^\d{15}-.*\.json$/) });
    await affkit.flush();
    expect(server.recorded).toEqual([{ ...SALE, occurred_at: '2026-03-01T12:00:00.000Z' }]);
    expect([filesIn(dir, 'ready'), filesIn(dir, 'tmp'), delivered]).toEqual([[], [], ['sale recorded']]);
  });

  test('that is wrong is refused at once and not kept', async () => {
    const dir = makeFolder();
    const { affkit } = start(dir, fakeServer());
    expect(await rejectionOf(affkit.refund({ transaction_id: '' }))).toMatchObject({ code: 'invalid_field' });
    expect(await rejectionOf(affkit.sale(SALE, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
    });
    await affkit.flush();
    expect(filesIn(dir, 'ready')).toEqual([]);
  });

  test('is sent by the next process if this one ends before', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = down;
    const first = start(dir, server);
    await first.affkit.sale(SALE);
    await first.affkit.close();
    expect(filesIn(dir, 'ready')).toHaveLength(1);
    server.fault = () => undefined;
    const second = start(dir, server);
    await until(() => server.recorded.length === 1);
    await second.affkit.flush();
    expect(filesIn(dir, 'ready')).toEqual([]);
  });

  test('that was recorded already is a duplicate, and gone', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    const { affkit, delivered } = start(dir, server);
    await affkit.sale(SALE);
    await affkit.sale(SALE);
    await affkit.flush();
    expect([delivered, server.recorded.length]).toEqual([['sale recorded', 'sale duplicate'], 1]);
  });

  test('holds no token, and is for its owner alone', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = down;
    const { affkit } = start(dir, server);
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

describe('a server that is down for an hour', () => {
  test('gets every event when it is back, each once, refunds after their sales, each with its own time', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    const clock = manualClock();
    const backAtMs = clock.now() + HOUR_MS;
    let asked = 0;
    server.fault = () => {
      asked += 1;
      return clock.now() < backAtMs ? down() : undefined;
    };
    const { affkit } = start(dir, server, {}, { runtime: clock });
    const ids = Array.from({ length: 20 }, (_, index) => `order-${index}`);
    for (const id of ids) {
      await affkit.sale(saleOf(id));
      await affkit.refund({ transaction_id: id });
      clock.advance(1000);
    }
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(500),
    );
    expect(server.log.filter((line) => !line.endsWith(' 200'))).toEqual([]);
    expect(server.recorded).toHaveLength(40);
    const timeOf = (event: Readonly<Record<string, unknown>>) => Date.parse(String(event['occurred_at']));
    expect(Math.max(...server.recorded.map(timeOf))).toBeLessThan(backAtMs - HOUR_MS + 20_000);
    // At most every fifteen seconds: it is not hammered while it is down.
    expect(asked).toBeLessThan(40 + 4 * 60 + 20);
    expect(affkit.stats()).toEqual({
      queued: 0,
      dead: 0,
      inFlight: 0,
      isDelivering: true,
      heldUpBy: undefined,
    });
  });

  test('makes a flush fail with what holds it up, and nothing is lost', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = down;
    const { affkit, clock } = start(dir, server);
    await affkit.sale(SALE);
    await until(() => affkit.stats()?.heldUpBy !== undefined);
    const flushed = rejectionOf(affkit.flush());
    let isOver = false;
    flushed.then(() => {
      isOver = true;
    });
    await until(
      () => isOver,
      () => clock.advance(1000),
    );
    expect(await flushed).toMatchObject({
      name: 'AffkitTimeoutError',
      code: 'flush_timeout',
      retryable: true,
      cause: { name: 'AffkitConnectionError' },
    });
    expect(affkit.stats()).toMatchObject({ queued: 1, heldUpBy: { code: 'connection_failed' } });
  });
});

describe('an answer', () => {
  test('that refuses one event moves it to dead/, with the reason, and lets the others pass', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = (operation) =>
      operation === 'lead' ? [400, { error: 'Unknown click', code: 'click_not_found' }] : undefined;
    const { affkit, dead, logged } = start(dir, server);
    await affkit.lead({ click_id: 'clk_1', customer_key: 'user-1' });
    await affkit.sale(SALE);
    await affkit.flush();
    expect(server.recorded).toMatchObject([{ transaction_id: 'order-1' }]);
    expect(dead).toMatchObject([{ name: 'AffkitValidationError', code: 'click_not_found' }]);
    expect(logged).toMatchObject([{ level: 'error', fields: { operation: 'lead' } }]);
    const [event = '', reason = ''] = filesIn(dir, 'dead');
    expect(JSON.parse(await files.readFile(join(dir, 'dead', event), 'utf8'))).toMatchObject({
      operation: 'lead',
    });
    expect(JSON.parse(await files.readFile(join(dir, 'dead', reason), 'utf8'))).toMatchObject({
      error: { code: 'click_not_found', status: 400 },
    });
  });

  test('401 stops everything at once; the events go out when the token is good again', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    let isTokenGood = false;
    server.fault = () =>
      isTokenGood ? undefined : [401, { error: 'Invalid API token', code: 'token_invalid' }];
    const { affkit, clock, logged } = start(dir, server, { concurrency: 1 });
    for (const id of ['a', 'b', 'c']) await affkit.sale(saleOf(id));
    await until(() => affkit.stats()?.heldUpBy !== undefined);
    expect(server.log).toHaveLength(1);
    expect(await rejectionOf(affkit.flush())).toMatchObject({
      name: 'AffkitAuthenticationError',
      status: 401,
    });
    expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
    isTokenGood = true;
    await until(
      () => server.recorded.length === 3,
      () => clock.advance(1000),
    );
    await affkit.flush();
    expect(affkit.stats()).toMatchObject({ queued: 0, dead: 0, heldUpBy: undefined });
  });

  test('of something that is not Affkit keeps the events', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = () => [404, { nginx: true }];
    const { affkit } = start(dir, server);
    await affkit.sale(SALE);
    expect(await rejectionOf(affkit.flush())).toMatchObject({ name: 'AffkitNotFoundError' });
    expect(filesIn(dir, 'ready')).toHaveLength(1);
  });

  test('500 to one event holds up its refund and nobody else', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    let isPoison = true;
    server.fault = (_operation, event) =>
      isPoison && event['transaction_id'] === 'bad' ? [500, { code: 'internal_error' }] : undefined;
    const { affkit, clock } = start(dir, server);
    await affkit.sale(saleOf('bad'));
    await affkit.refund({ transaction_id: 'bad' });
    await affkit.sale(saleOf('good'));
    const failures = () => server.log.filter((line) => line === 'sale bad 500').length;
    await until(
      () => failures() >= 6 && server.recorded.length > 0,
      () => clock.advance(1000),
    );
    expect(server.recorded).toMatchObject([{ transaction_id: 'good' }]);
    expect(server.log.filter((line) => line.startsWith('refund'))).toEqual([]);
    expect(affkit.stats()).toMatchObject({ queued: 2, dead: 0 });
    isPoison = false;
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(1000),
    );
    expect(server.log.slice(-2)).toEqual(['sale bad 200', 'refund bad 200']);
  });

  test('500 to a lead, again and again, does not hold up the sale for ever', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = (operation) => (operation === 'lead' ? [500, { code: 'internal_error' }] : undefined);
    const { affkit, clock } = start(dir, server);
    await affkit.lead({ click_id: 'clk_1', customer_key: 'user-1' });
    await affkit.sale(SALE);
    await until(
      () => server.recorded.length === 1,
      () => clock.advance(1000),
    );
    expect(server.log).toEqual(['lead clk_1 500', 'lead clk_1 500', 'lead clk_1 500', 'sale order-1 200']);
  });
});

describe('a file that holds no event', () => {
  test('is moved to dead/ and holds nobody up', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = down;
    const first = start(dir, server);
    await first.affkit.sale(SALE);
    await first.affkit.close();
    const [name = ''] = filesIn(dir, 'ready');
    await files.writeFile(join(dir, 'ready', name), '{"operation":"sale"');
    await files.writeFile(join(dir, 'ready', 'notes.txt'), 'of somebody else');
    server.fault = () => undefined;
    const { affkit, dead } = start(dir, server);
    await affkit.sale(saleOf('b'));
    await affkit.flush();
    expect(dead).toMatchObject([{ code: 'spool_file_invalid' }]);
    expect(filesIn(dir, 'ready')).toEqual(['notes.txt']);
    expect(affkit.stats()).toMatchObject({ queued: 0 });
  });
});

describe('a full spool', () => {
  test('refuses new events and keeps the old ones', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = down;
    const { affkit, clock } = start(dir, server, { maxEvents: 2 });
    await affkit.sale(saleOf('a'));
    await affkit.sale(saleOf('b'));
    expect(await rejectionOf(affkit.sale(saleOf('c')))).toMatchObject({
      name: 'AffkitSpoolFullError',
      code: 'spool_full',
      retryable: true,
    });
    server.fault = () => undefined;
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(1000),
    );
    await affkit.sale(saleOf('c'));
    await affkit.flush();
    expect(server.recorded.map(({ transaction_id }) => transaction_id)).toEqual(['a', 'b', 'c']);
  });

  test.each(['open', 'write', 'sync', 'rename', 'folder sync'])(
    'because the disk fails at %s keeps nothing of the event, and takes it when there is room',
    async (where) => {
      const dir = makeFolder();
      const server = fakeServer();
      server.fault = down;
      let isFull = false;
      const failAt = (what: string) => {
        if (isFull && what === where) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      };
      const spool = new FileSpool(
        { dir },
        {
          ...files,
          open: async (path, flags, mode) => {
            const isDraft = String(path).includes(join(dir, 'tmp'));
            if (isDraft) failAt('open');
            const handle = await files.open(path, flags, mode);
            const { sync, writeFile } = handle;
            return Object.assign(handle, {
              writeFile: async (text: string) => {
                if (isFull && where === 'write') await writeFile.call(handle, text.slice(0, 5));
                failAt('write');
                await writeFile.call(handle, text);
              },
              sync: async () => {
                failAt(isDraft ? 'sync' : 'folder sync');
                await sync.call(handle);
              },
            });
          },
          rename: async (from, to) => {
            failAt('rename');
            await files.rename(from, to);
          },
        },
      );
      const { affkit } = makeClient({ spool, transport: server.transport, maxRetries: 0 });
      open.push(affkit);
      await affkit.sale(saleOf('a'));
      isFull = true;
      expect(await rejectionOf(affkit.sale(saleOf('b')))).toMatchObject({
        name: 'AffkitSpoolFullError',
        code: 'spool_full',
        cause: { code: 'ENOSPC' },
      });
      expect(filesIn(dir, 'tmp')).toEqual([]);
      isFull = false;
      server.fault = () => undefined;
      await affkit.sale(saleOf('b'));
      await affkit.flush();
      const ids = server.recorded.map(({ transaction_id }) => transaction_id);
      expect(ids.toSorted()).toEqual(['a', 'b']);
    },
  );
});

describe('a clock that jumps', () => {
  test.each([
    ['back', -DAY_MS],
    ['ahead', DAY_MS],
  ])('%s by a day changes no order, also over a restart', async (_where, jumpMs) => {
    const dir = makeFolder();
    const server = fakeServer();
    server.fault = down;
    const first = start(dir, server);
    await first.affkit.sale({ ...saleOf('a'), customer_key: 'user' });
    first.clock.advance(jumpMs);
    await first.affkit.sale({ ...saleOf('b'), customer_key: 'user' });
    await first.affkit.close();
    const clock = manualClock(first.clock.now() + jumpMs);
    const second = start(dir, server, {}, { runtime: clock });
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

describe('two processes with one folder', () => {
  test('deliver each event once, whoever put it there; one takes over from the other', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    const clock = manualClock();
    const first = start(dir, server, {}, { runtime: clock });
    await until(() => first.affkit.stats()?.isDelivering === true);
    const second = start(dir, server, {}, { runtime: clock });
    await second.affkit.sale(saleOf('a'));
    await first.affkit.refund({ transaction_id: 'a' });
    await until(
      () => server.recorded.length === 2,
      () => clock.advance(100),
    );
    expect(server.log).toEqual(['sale a 200', 'refund a 200']);
    expect(second.affkit.stats()?.isDelivering).toBe(false);
    await second.affkit.sale(saleOf('b'));
    await first.affkit.close();
    await until(
      () => server.recorded.length === 3,
      () => clock.advance(100),
    );
    await second.affkit.flush();
    expect(server.log.slice(2)).toEqual(['sale b 200']);
    expect(second.affkit.stats()).toMatchObject({ queued: 0, isDelivering: true });
  });

  test('wait a while for one that died without a word, whatever the clock says, and then take over', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    await files.mkdir(dir, { recursive: true });
    // A lock that nobody renews, from the future.
    await files.writeFile(join(dir, 'lock'), '');
    await files.utimes(join(dir, 'lock'), 4e9, 4e9);
    const { affkit, clock } = start(dir, server);
    await affkit.sale(SALE);
    const startedAtMs = clock.now();
    await until(
      () => server.recorded.length === 1,
      () => clock.advance(50),
    );
    expect(clock.now() - startedAtMs).toBeGreaterThan(9_000);
  });

  test('never stop one that is alive', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    const clock = manualClock();
    const first = start(dir, server, {}, { runtime: clock });
    await until(() => first.affkit.stats()?.isDelivering === true);
    const second = start(dir, server, {}, { runtime: clock });
    let turns = 0;
    await until(
      () => turns > 3_000,
      () => {
        turns += 1;
        // Each of them looks at the folder in between.
        if (turns % 30 === 0) clock.advance(1000);
      },
    );
    expect([first.affkit.stats()?.isDelivering, second.affkit.stats()?.isDelivering]).toEqual([true, false]);
  });
});

describe('a spool', () => {
  test('serves one client, and none after it was closed', async () => {
    const spool = fileSpool({ dir: makeFolder() });
    const { affkit } = makeClient({ spool });
    open.push(affkit);
    expect(() => makeClient({ spool })).toThrow('A spool serves one client');
    await affkit.close();
    await affkit.close();
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({ code: 'spool_closed' });
    expect(await rejectionOf(affkit.flush())).toMatchObject({ code: 'spool_closed' });
  });

  test('is flushed and closed at the end of its scope', async () => {
    const dir = makeFolder();
    const server = fakeServer();
    {
      await using affkit = start(dir, server).affkit;
      await affkit.sale(SALE);
    }
    expect(server.recorded).toHaveLength(1);
    expect(filesIn(dir, 'ready')).toEqual([]);
    expect(await files.readdir(dir)).not.toContain('lock');
  });

  test('says so where its folder cannot be written, and begins when it can', async () => {
    const dir = join(makeFolder(), 'spool');
    await files.writeFile(dir, 'a file, not a folder');
    const server = fakeServer();
    const { affkit } = start(dir, server);
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({
      name: 'AffkitConfigurationError',
      code: 'spool_unavailable',
    });
    await files.rm(dir);
    await affkit.sale(SALE);
  });

  test.each([{ dir: '' }, { maxEvents: 0 }, { pollMs: 1.5 }, { concurrency: Number.NaN }])(
    'is not made with %j',
    (options) => {
      expect(() => fileSpool({ dir: '/nowhere', ...options })).toThrow(/must/);
    },
  );

  test('is not there without the option, and nothing waits for it', async () => {
    const { affkit } = makeClient();
    expect(affkit.stats()).toBeUndefined();
    await affkit.flush();
    await affkit.close();
  });
});
