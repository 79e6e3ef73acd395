import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeClient, rejectionOf, SALE, type TestClient } from '../test/client.ts';
import { manualClock } from '../test/manual-clock.ts';
import { answer } from '../test/msw-server.ts';
import { RECORDED } from '../test/replies.ts';
import { AffkitError } from './errors.ts';

describe('error responses', () => {
  test.each([
    [400, 'AffkitValidationError'],
    [401, 'AffkitAuthenticationError'],
    [403, 'AffkitPermissionError'],
    [404, 'AffkitNotFoundError'],
    [405, 'AffkitNotFoundError'],
    [408, 'AffkitServerError'],
    [409, 'AffkitConflictError'],
    [413, 'AffkitValidationError'],
    [429, 'AffkitRateLimitError'],
    [500, 'AffkitServerError'],
    [503, 'AffkitServerError'],
  ])('after a reply of Affkit with status %i, the call throws an %s', async (status, name) => {
    answer([status, { error: 'Some error', code: 'some_error' }]);
    const error = await rejectionOf(makeClient().affkit.refund({ transaction_id: 'a' }, { maxRetries: 0 }));
    expect(error).toBeInstanceOf(AffkitError);
    expect(error).toMatchObject({ name, status, code: 'some_error', attempts: 1 });
  });

  test('the error for an unknown route (404) advises the caller to check baseUrl', async () => {
    answer([404, { error: 'Not found', code: 'route_not_found' }]);
    expect(await rejectionOf(makeClient().affkit.sale(SALE))).toMatchObject({
      name: 'AffkitNotFoundError',
      code: 'route_not_found',
      message:
        'The sale failed (404 route_not_found): Not found. There is no Affkit API at this URL: check the option baseUrl or AFFKIT_BASE_URL',
    });
  });

  test('the advice after a message that ends with a period adds no second period', async () => {
    answer([401, { error: 'Use the current token.', code: 'token_invalid' }]);
    expect(await rejectionOf(makeClient().affkit.sale(SALE))).toMatchObject({
      message:
        "The sale failed (401 token_invalid): Use the current token. Set the option token or AFFKIT_TOKEN to the program's current tracking token",
    });
  });

  test('if every attempt gets a 503, the call throws after the last retry, with the number of attempts', async () => {
    const { requests } = answer([503, { error: 'Busy', code: 'unavailable' }, { 'retry-after': '2' }]);
    const { affkit, delays, attempts } = makeClient();
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({
      name: 'AffkitServerError',
      message:
        'The sale failed (503 unavailable): Busy. The server may or may not have recorded it. You can safely send it again',
      attempts: 4,
      retryable: true,
    });
    expect([requests.length, delays, attempts]).toEqual([4, [2000, 2000, 2000], [503, 503, 503, 503]]);
  });

  test('maxRetries: 0 disables retries, whether the client or the call sets it', async () => {
    const { requests } = answer([503, '']);
    await rejectionOf(makeClient({ maxRetries: 0 }).affkit.sale(SALE));
    await rejectionOf(makeClient().affkit.sale(SALE, { maxRetries: 0 }));
    expect(requests).toHaveLength(2);
  });

  test('the call throws immediately if Retry-After exceeds the deadline', async () => {
    answer([429, '', { 'retry-after': '31' }]);
    const { affkit, delays } = makeClient();
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({ status: 429, attempts: 1, retryable: true });
    expect(delays).toEqual([]);
  });
});

test.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
])(
  'deadlineMs and durationMs do not change if the clock is set %s an hour during each request',
  async (_where, jumpMs) => {
    const durations: number[] = [];
    const client: TestClient = makeClient({
      maxRetries: 10,
      transport: async () => {
        client.clock.adjust(jumpMs);
        client.clock.advance(9_000);
        throw new Error('connect ECONNREFUSED');
      },
      hooks: {
        onAttempt: ({ durationMs }) => durations.push(durationMs),
        onRetry: ({ delayMs }) => queueMicrotask(() => client.clock.advance(delayMs)),
      },
    });
    const startedAtMs = client.clock.monotonicNow();
    expect(await rejectionOf(client.affkit.sale(SALE))).toMatchObject({
      code: 'deadline_exceeded',
      attempts: 4,
    });
    expect(durations).toEqual([9_000, 9_000, 9_000, 9_000]);
    expect(client.clock.monotonicNow() - startedAtMs).toBeLessThan(30_000 + 9_000);
  },
);

test('a runtime without a monotonic clock measures time limits with its clock', async () => {
  answer([200, RECORDED.sale]);
  const { now, random, setTimer } = manualClock();
  const { affkit } = makeClient({ runtime: { now, random, setTimer } });
  expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded' });
});

describe('hooks and logger', () => {
  test('if a hook throws or rejects, its error is logged and does not affect the call', async () => {
    answer([503, ''], [200, RECORDED.sale]);
    const { affkit, clock, logged } = makeClient({
      hooks: {
        onAttempt: () => {
          throw new Error('metrics are down');
        },
        onRetry: async ({ delayMs }) => {
          queueMicrotask(() => clock.advance(delayMs));
          throw new Error('async too');
        },
      },
    });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded' });
    expect(logged.map(({ level, fields }) => [level, fields])).toEqual([
      ['error', { hook: 'onAttempt', error: 'Error: metrics are down' }],
      ['error', { hook: 'onRetry', error: 'Error: async too' }],
      ['error', { hook: 'onAttempt', error: 'Error: metrics are down' }],
    ]);
  });

  test('a logger that throws does not fail the call', async () => {
    answer([503, ''], [200, RECORDED.sale]);
    const broken = () => {
      throw new Error('disk full');
    };
    const { affkit } = makeClient({ logger: { debug: broken, info: broken, warn: broken, error: broken } });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded' });
  });

  test('if a logger rejects, the call succeeds and no unhandled rejection occurs', async () => {
    answer([503, ''], [200, RECORDED.sale]);
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', onUnhandled);
    onTestFinished(() => {
      process.off('unhandledRejection', onUnhandled);
    });
    let messages = 0;
    const broken = async () => {
      messages += 1;
      throw new Error('disk full');
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    const { affkit } = makeClient({ logger, logLevel: 'debug' });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded' });
    // Node reports unhandled rejections before the next iteration of the event loop.
    await setImmediate();
    expect([messages, unhandled]).toEqual([3, []]);
  });

  test('logLevel filters the log messages', async () => {
    const levels = async (logLevel: 'debug' | 'info' | 'off') => {
      answer([503, ''], [200, RECORDED.sale]);
      const { affkit, logged } = makeClient({ logLevel });
      await affkit.sale(SALE);
      return logged.map(({ level }) => level);
    };
    expect(await levels('debug')).toEqual(['debug', 'info', 'debug']);
    expect(await levels('info')).toEqual(['info']);
    expect(await levels('off')).toEqual([]);
  });
});
