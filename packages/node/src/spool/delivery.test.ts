import { rmSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { makeClient, rejectionOf, SALE } from '../../test/client.ts';
import { fakeServer } from '../../test/fake-server.ts';
import { manualClock } from '../../test/manual-clock.ts';
import { duplicateSale } from '../../test/replies.ts';
import { down, leaveSale, saleOf, startSpool } from '../../test/spool-client.ts';
import { filesIn } from '../../test/spool-folder.ts';
import { until } from '../../test/until.ts';
import type { Transport } from '../transport.ts';
import { FileSpool } from './file-spool.ts';

const HOUR_MS = 3_600_000;

describe('while the server is down', () => {
  test('events wait for an hour, then each arrives once, with its original time, and refunds after sales', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    const clock = manualClock();
    const backAtMs = clock.now() + HOUR_MS;
    let requests = 0;
    server.fault = () => {
      requests += 1;
      return clock.now() < backAtMs ? down() : undefined;
    };
    const { affkit } = startSpool(dir, server, {}, { runtime: clock });
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
    // While the server is down, the spool sends at most one request every 15 s.
    expect(requests).toBeLessThan(40 + 4 * 60 + 20);
    expect(affkit.stats()).toEqual({
      queued: 0,
      dead: 0,
      inFlight: 0,
      isDelivering: true,
      isHalted: false,
      heldUpBy: undefined,
    });
  });

  test('the next request is sent within a second, even if eight requests have failed at the same time', async () => {
    const server = fakeServer();
    const clock = manualClock();
    const { promise: fails, resolve: fail } = Promise.withResolvers<void>();
    const requestedAt: number[] = [];
    const transport: Transport = async (request) => {
      requestedAt.push(clock.now());
      const isDown = requestedAt.length <= 9;
      await fails;
      return isDown ? down() : server.transport(request);
    };
    const { affkit } = startSpool(
      makeTempFolder(),
      server,
      { concurrency: 8 },
      { runtime: clock, transport },
    );
    for (let index = 0; index < 8; index += 1) await affkit.sale(saleOf(`order-${index}`));
    await until(() => affkit.stats()?.inFlight === 8);
    fail();
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(affkit.stats()?.inFlight === 0 ? 100 : 0),
    );
    const [failedAt = 0, , secondAt = 0, thirdAt = 0] = requestedAt.slice(6);
    expect(secondAt - failedAt).toBeLessThanOrEqual(1_000);
    expect(thirdAt - secondAt).toBeLessThanOrEqual(2_000);
  });

  test('flush rejects with a timeout that names the delivery error, and the event stays queued', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    server.fault = down;
    const { affkit, clock } = startSpool(dir, server);
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
      message: expect.stringMatching(
        /^The flush exceeded flushMs \(30000\) with 1 events undelivered: The sale got no response .*ECONNREFUSED/,
      ),
      retryable: true,
      cause: { name: 'AffkitConnectionError' },
    });
    expect(affkit.stats()).toMatchObject({ queued: 1, heldUpBy: { code: 'connection_failed' } });
  });
});

describe('responses', () => {
  test('an event that the server rejects is moved to dead/ with the reason, and the others are delivered', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    server.fault = (operation) => {
      if (operation !== 'lead') return undefined;
      // An operator may remove the folder at any time.
      rmSync(join(dir, 'dead'), { recursive: true });
      return [400, { error: 'Unknown click', code: 'click_not_found' }];
    };
    const { affkit, dead, logged } = startSpool(dir, server);
    await affkit.lead({ click_id: 'clk_1', customer_key: 'user-1' });
    await affkit.sale(SALE);
    await affkit.flush();
    expect(server.recorded).toMatchObject([{ transaction_id: 'order-1' }]);
    expect(dead).toMatchObject([{ name: 'AffkitValidationError', code: 'click_not_found' }]);
    expect(affkit.stats()).toMatchObject({ queued: 0, dead: 1 });
    expect(logged).toMatchObject([{ level: 'error', fields: { operation: 'lead' } }]);
    const [event = '', reason = ''] = filesIn(dir, 'dead');
    expect(JSON.parse(await files.readFile(join(dir, 'dead', event), 'utf8'))).toMatchObject({
      operation: 'lead',
    });
    expect(JSON.parse(await files.readFile(join(dir, 'dead', reason), 'utf8'))).toMatchObject({
      error: { code: 'click_not_found', status: 400 },
    });
  });

  test('a sale is moved to dead/ if it was not recorded because another program uses its transaction_id', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    server.fault = (_operation, event) =>
      event['transaction_id'] === 'taken' ? [409, duplicateSale('transaction_id_taken')] : undefined;
    const { affkit, dead, delivered, taken } = startSpool(dir, server);
    await affkit.sale(saleOf('taken'));
    await affkit.sale(saleOf('free'));
    await affkit.flush();
    const error = { code: 'transaction_id_taken', status: 409, requestId: 'req-0' };
    expect(dead).toMatchObject([{ name: 'AffkitConflictError', ...error }]);
    expect([delivered, taken]).toEqual([['sale recorded'], ['taken']]);
    expect(affkit.stats()).toMatchObject({ queued: 0, dead: 1, heldUpBy: undefined });
    const [event = '', reason = ''] = filesIn(dir, 'dead');
    expect(await files.readFile(join(dir, 'dead', event), 'utf8')).toContain('taken');
    expect(JSON.parse(await files.readFile(join(dir, 'dead', reason), 'utf8'))).toMatchObject({ error });
  });

  test('an event whose customer has no partner counts as delivered', async () => {
    const server = fakeServer();
    server.fault = () => [400, { error: 'Not found', code: 'sale_customer_not_found' }];
    const { affkit, dead, delivered } = startSpool(makeTempFolder(), server);
    await affkit.sale(SALE);
    await affkit.flush();
    expect(delivered).toEqual(['sale unattributed']);
    expect([dead, affkit.stats()]).toMatchObject([[], { queued: 0, dead: 0 }]);
  });

  test.each([
    ['a failing server', [500, {}]],
    ['a proxy', [413, {}]],
  ] as const)('a sale without a partner stays queued if %s refuses the earlier lead', async (_who, reply) => {
    const server = fakeServer();
    let isLeadRefused = true;
    server.fault = (operation) => {
      if (operation === 'lead') return isLeadRefused ? [...reply] : undefined;
      return server.recorded.length > 0
        ? undefined
        : [400, { error: 'Not found', code: 'sale_customer_not_found' }];
    };
    const { affkit, clock, dead, delivered } = startSpool(makeTempFolder(), server);
    await affkit.lead({ click_id: 'clk_1', customer_key: 'user-1' });
    await affkit.sale(SALE);
    const tick = () => clock.advance(1000);
    await until(() => server.log.filter((line) => line === 'sale order-1 400').length >= 3, tick);
    expect(affkit.stats()).toMatchObject({ queued: 2, dead: 0 });
    isLeadRefused = false;
    await until(() => affkit.stats()?.queued === 0, tick);
    expect(server.recorded).toMatchObject([{ customer_key: 'user-1' }, { transaction_id: 'order-1' }]);
    // The two responses can arrive in either order.
    expect([dead, delivered.toSorted()]).toEqual([[], ['lead recorded', 'sale recorded']]);
  });

  test('stats().dead of the next process counts a rejected event, even if that process holds no lease', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    server.fault = () => [400, { error: 'Unknown click', code: 'click_not_found' }];
    const before = startSpool(dir, server);
    await before.affkit.sale(SALE);
    await before.affkit.flush();
    await before.affkit.close();
    const open: typeof files.open = async (path, flags, mode) => {
      if (path === join(dir, 'lock')) throw new Error('no lease');
      return files.open(path, flags, mode);
    };
    const spool = new FileSpool({ dir }, { ...files, open });
    const { affkit } = makeClient({ spool, transport: server.transport });
    onTestFinished(() => affkit.close());
    await affkit.sale(saleOf('b'));
    expect(affkit.stats()).toMatchObject({ queued: 1, dead: 1, isDelivering: false });
  });

  test('a late 401 to a request that was sent before a flush does not halt the delivery again', async () => {
    const server = fakeServer();
    const { promise: bothSent, resolve: sendBoth } = Promise.withResolvers<void>();
    const { promise: lateReply, resolve: reply } = Promise.withResolvers<void>();
    let requests = 0;
    const transport: Transport = async (request) => {
      requests += 1;
      if (requests > 2) return server.transport(request);
      if (requests === 2) sendBoth();
      await (requests === 2 ? lateReply : bothSent);
      return Response.json({ error: 'Invalid API token', code: 'token_invalid' }, { status: 401 });
    };
    const { affkit, clock } = startSpool(makeTempFolder(), server, { concurrency: 2 }, { transport });
    await Promise.all([affkit.sale(saleOf('a')), affkit.sale(saleOf('b'))]);
    await until(() => affkit.stats()?.isHalted === true && requests === 2);
    expect(clock.pending()).toContain(60_000);
    const flushed = affkit.flush();
    await until(() => !clock.pending().includes(60_000));
    reply();
    await flushed;
    expect(affkit.stats()).toMatchObject({ queued: 0, isHalted: false });
  });

  test('a 401 halts all deliveries, which continue after the token has become valid', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    let isTokenGood = false;
    server.fault = () =>
      isTokenGood ? undefined : [401, { error: 'Invalid API token', code: 'token_invalid' }];
    const { affkit, clock, logged } = startSpool(dir, server, { concurrency: 1 });
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

  test.each([
    [500, { code: 'internal_error' }],
    [403, { html: true }],
  ])("a reply %i %j to a lead delays its customer's sale for only three attempts", async (status, body) => {
    const server = fakeServer();
    server.fault = (operation) => (operation === 'lead' ? [status, body] : undefined);
    const { affkit, clock } = startSpool(makeTempFolder(), server);
    await affkit.lead({ click_id: 'clk_1', customer_key: 'user-1' });
    await affkit.sale(SALE);
    await until(
      () => server.log.length >= 3,
      () => clock.advance(1000),
    );
    // The clock stands still now. Otherwise, the fourth attempt of the lead could overtake the sale.
    await until(() => server.recorded.length === 1);
    const lead = `lead clk_1 ${status}`;
    expect(server.log).toEqual([lead, lead, lead, 'sale order-1 200']);
  });
});

describe('times of events', () => {
  const ahead = 'occurred_at must be at most 5 minutes in the future';
  const old = 'occurred_at must be at most 90 days in the past';
  const NOW = '2026-03-01T12:00:00.000Z';

  test('an event is sent with its time and its current age', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    await leaveSale(dir, server, SALE);
    server.fault = () => undefined;
    // Between two processes, the clock of this machine may be set forward or back.
    const starts = [2 * HOUR_MS, -HOUR_MS, 100 * 24 * HOUR_MS];
    const oldest = (90 * 24 - 1) * HOUR_MS;
    const expected = [
      { ...SALE, occurred_at: NOW, age_ms: 2 * HOUR_MS },
      { ...SALE, occurred_at: NOW, age_ms: 0 },
      // The oldest time that the server accepts.
      { ...SALE, occurred_at: '2026-03-11T13:00:00.000Z', age_ms: oldest },
    ];
    const [name = ''] = filesIn(dir, 'ready');
    const content = await files.readFile(join(dir, 'ready', name));
    for (const startMs of starts) {
      await files.writeFile(join(dir, 'ready', name), content);
      const runtime = manualClock(Date.parse(NOW) + startMs);
      const { affkit } = startSpool(dir, server, {}, { runtime });
      await affkit.flush();
      await affkit.close();
    }
    expect(server.bodies.map((body) => JSON.parse(body))).toEqual(expected);
  });

  test.each([
    ['ahead', ahead, {}, { ...SALE, age_ms: 0 }],
    ['ahead, even if the caller passed the time', ahead, { occurred_at: NOW }, { ...SALE, age_ms: 0 }],
    ['behind', old, {}, { ...SALE, age_ms: 0 }],
  ])('if the clock is %s, the event is delivered without its time', async (_how, error, given, recorded) => {
    const server = fakeServer();
    server.fault = (_operation, event) =>
      'occurred_at' in event ? [400, { error, code: 'invalid_field' }] : undefined;
    const { affkit, dead, delivered } = startSpool(makeTempFolder(), server);
    await affkit.sale({ ...SALE, ...given });
    await affkit.flush();
    expect([server.recorded, delivered, dead]).toEqual([[recorded], ['sale recorded'], []]);
  });

  test('a time that the caller passed is not corrected if it is more than 90 days ago', async () => {
    const server = fakeServer();
    server.fault = () => [400, { error: old, code: 'invalid_field' }];
    const { affkit, dead } = startSpool(makeTempFolder(), server);
    await affkit.sale({ ...SALE, occurred_at: '2025-01-01T00:00:00Z' });
    await affkit.flush();
    expect([server.log.length, dead]).toMatchObject([1, [{ code: 'invalid_field' }]]);
  });
});
