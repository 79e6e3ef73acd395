import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { makeClient, rejectionOf, SALE } from '../test/client.ts';
import { duplicateSale } from '../test/replies.ts';
import { longReply, reply, type SocketServer, type Step, startSocketServer } from '../test/socket-server.ts';

const servers: SocketServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(...steps: readonly Step[]): Promise<SocketServer> {
  const server = await startSocketServer(...steps);
  servers.push(server);
  return server;
}

const recorded = reply(200, '{"success":true,"sale_id":1,"commission_id":2,"message":"ok"}');
const duplicate = reply(409, JSON.stringify(duplicateSale('duplicate_transaction')));
const reset: Step = (socket) => socket.resetAndDestroy();
const partOf =
  (status: number, then: Step): Step =>
  (socket) => {
    socket.write(`HTTP/1.1 ${status} Reply\r\ncontent-length: 100\r\n\r\n{"success":true,`, () =>
      then(socket),
    );
  };

describe('on real sockets', () => {
  test('retries a refused connection, then throws AffkitConnectionError', async () => {
    const server = await serve(recorded);
    await server.close();
    const { affkit, attempts, delays } = makeClient({ baseUrl: server.baseUrl });
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({
      name: 'AffkitConnectionError',
      code: 'connection_failed',
      attempts: 4,
      retryable: true,
      message: expect.stringContaining('(ECONNREFUSED)'),
    });
    expect(attempts).toEqual(['unreachable', 'unreachable', 'unreachable', 'unreachable']);
    expect(delays).toEqual([250, 500, 1000]);
  });

  test('retries immediately if the server resets the connection before it responds', async () => {
    const server = await serve(reset, recorded);
    const { affkit, attempts, delays } = makeClient({ baseUrl: server.baseUrl });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 1, attempts: 2 });
    expect([attempts, delays]).toEqual([['unreachable', 200], [0]]);
  });

  test('retries immediately when the server has closed a keep-alive connection', async () => {
    const server = await serve(recorded, reset, recorded);
    const { affkit, delays } = makeClient({ baseUrl: server.baseUrl });
    await affkit.sale(SALE);
    expect(server.connections()).toBe(1);
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 2 });
    expect([delays, server.connections(), server.requests.length]).toEqual([[0], 2, 3]);
  });

  test('a connection that is closed in the middle of the response headers counts as no response', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'), recorded);
    const { affkit, attempts } = makeClient({ baseUrl: server.baseUrl });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 1 });
    expect(attempts).toEqual(['unreachable', 200]);
  });

  test.each<[string, Step]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
  ])('repeats the request if the connection is %s in the middle of the body of a 200', async (_how, then) => {
    const server = await serve(partOf(200, then), duplicate);
    const { affkit } = makeClient({ baseUrl: server.baseUrl });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'duplicate', attempts: 2 });
    expect(server.requests).toHaveLength(2);
  });

  test('a connection reset after a complete response affects neither this event nor the next one', async () => {
    let resetIt = () => {};
    const server = await serve((socket) => {
      resetIt = () => socket.resetAndDestroy();
      recorded(socket);
    }, recorded);
    const { affkit } = makeClient({ baseUrl: server.baseUrl });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 1, attempts: 1 });
    resetIt();
    expect(await affkit.sale({ ...SALE, transaction_id: 'order-2' })).toMatchObject({ status: 'recorded' });
    const sent = server.requests.map((request) => /"transaction_id":"([^"]+)"/.exec(request)?.[1]);
    expect(sent).toEqual(['order-1', 'order-2']);
  });

  test('repeats the request after a 409 with a truncated body', async () => {
    const server = await serve(
      partOf(409, (socket) => socket.end()),
      duplicate,
    );
    const { affkit } = makeClient({ baseUrl: server.baseUrl });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'duplicate', attempts: 2 });
  });

  test('retries a 503 with a truncated body', async () => {
    const server = await serve(partOf(503, reset), recorded);
    const { affkit, attempts } = makeClient({ baseUrl: server.baseUrl });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 2 });
    expect(attempts).toEqual([503, 200]);
  });

  test('stops reading an overlong response and throws an error with its status', async () => {
    const sent = Promise.withResolvers<number>();
    const server = await serve(longReply(503, sent.resolve));
    const { affkit } = makeClient({ baseUrl: server.baseUrl });
    expect(await rejectionOf(affkit.sale(SALE, { maxRetries: 0 }))).toMatchObject({
      name: 'AffkitServerError',
      code: 'http_503',
    });
    // The client stops reading after 1 MiB. The operating system buffers some more.
    expect(await sent.promise).toBeLessThan(32 * 1024 * 1024);
  });

  test('after a 503, the retry sends the same request, and the call resolves with status recorded', async () => {
    const server = await serve(reply(503, '{}'), recorded);
    const { affkit, delays } = makeClient({ baseUrl: server.baseUrl });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 1, attempts: 2 });
    expect(delays).toEqual([250]);
    expect(server.requests[0]).toBe(server.requests[1]);
  });

  test.each([
    ['seconds', '3', 3000],
    ['a date', 'Sun, 01 Mar 2026 12:00:05 GMT', 5000],
  ])('waits after a 429 for the time in Retry-After, given as %s', async (_form, retryAfter, delayMs) => {
    const server = await serve(reply(429, '{}', { 'retry-after': retryAfter }), recorded);
    const { affkit, delays } = makeClient({ baseUrl: server.baseUrl });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 2 });
    expect(delays).toEqual([delayMs]);
  });

  test.each([301, 302, 303, 307, 308])(
    'throws on a %i redirect and does not follow it, so that the token is not sent elsewhere',
    async (status) => {
      const elsewhere = await serve(recorded);
      const server = await serve(reply(status, '', { location: `${elsewhere.baseUrl}/secret/path` }));
      const { affkit } = makeClient({ baseUrl: server.baseUrl });
      expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({
        name: 'AffkitConfigurationError',
        code: 'redirected',
        status,
        attempts: 1,
        message: `baseUrl redirects to ${elsewhere.baseUrl}. Set baseUrl to the final URL: redirects are not followed, to protect the token`,
      });
      expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
    },
  );
});

describe('timeouts', () => {
  test('retries when no headers arrive within timeoutMs', async () => {
    const { affkit, clock, attempts, server } = await connectToSlowServer(
      (_socket, move) => move(10_000),
      recorded,
    );
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 2 });
    expect(attempts).toEqual(['timeout', 200]);
    expect([server.requests.length, clock.pending()]).toEqual([2, []]);
  });

  test('throws AffkitTimeoutError when no headers ever arrive', async () => {
    const { affkit, attempts } = await connectToSlowServer((_socket, move) => move(2000));
    const options = { timeoutMs: 2000, maxRetries: 1 };
    expect(await rejectionOf(affkit.sale(SALE, options))).toMatchObject({
      name: 'AffkitTimeoutError',
      code: 'timeout',
      attempts: 2,
      retryable: true,
      message:
        'The sale exceeded timeoutMs (2000) after 2 attempts. The server may or may not have recorded it. You can safely send it again',
    });
    expect(attempts).toEqual(['timeout', 'timeout']);
  });

  test('repeats the request if the body of a 200 never arrives', async () => {
    const server = await serve(
      partOf(200, () => {}),
      duplicate,
    );
    const { affkit, attempts, clock } = makeClient({
      baseUrl: server.baseUrl,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        const text = () => {
          if (response.status === 200) queueMicrotask(() => clock.advance(10_000));
          return response.text();
        };
        return { status: response.status, headers: response.headers, text };
      },
    });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'duplicate', attempts: 2 });
    expect([attempts, server.requests.length]).toEqual([['timeout', 409], 2]);
  });

  test('the deadline ends the call even if retries are left', async () => {
    const { affkit, attempts } = await connectToSlowServer((_socket, move) => move(4000));
    const options = { timeoutMs: 4000, deadlineMs: 6000, maxRetries: 9 };
    expect(await rejectionOf(affkit.sale(SALE, options))).toMatchObject({
      name: 'AffkitTimeoutError',
      code: 'deadline_exceeded',
      attempts: 2,
      retryable: true,
    });
    expect(attempts).toEqual(['timeout', 'deadline']);
  });

  test('a call times out even if its transport ignores the signal', async () => {
    const { affkit, clock } = makeClient({
      transport: () => {
        queueMicrotask(() => clock.advance(10_000));
        return new Promise(() => {});
      },
    });
    expect(await rejectionOf(affkit.sale(SALE, { maxRetries: 0 }))).toMatchObject({ code: 'timeout' });
  });

  test('a call times out if its token function never resolves', async () => {
    const { affkit, clock } = makeClient({
      token: () => {
        queueMicrotask(() => clock.advance(10_000));
        return new Promise(() => {});
      },
    });
    expect(await rejectionOf(affkit.sale(SALE, { maxRetries: 0 }))).toMatchObject({ code: 'timeout' });
  });

  /** Returns a client and its server. The handler of the first request can advance the client's clock. */
  async function connectToSlowServer(
    first: (socket: Parameters<Step>[0], move: (ms: number) => void) => void,
    ...later: Step[]
  ) {
    let move: (ms: number) => void = () => {};
    const server = await serve((socket) => first(socket, move), ...later);
    const client = makeClient({ baseUrl: server.baseUrl });
    move = client.clock.advance;
    return { ...client, server };
  }
});

describe('aborts', () => {
  test('a call with an aborted signal throws without sending a request', async () => {
    const server = await serve(recorded);
    const { affkit, clock } = makeClient({ baseUrl: server.baseUrl });
    const reason = new Error('changed my mind');
    expect(await rejectionOf(affkit.sale(SALE, { signal: AbortSignal.abort(reason) }))).toMatchObject({
      name: 'AffkitAbortError',
      code: 'aborted',
      attempts: 0,
      cause: reason,
    });
    expect([server.requests, clock.pending()]).toEqual([[], []]);
  });

  test('an abort during a request ends the call', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const { affkit, attempts, clock } = makeClient({ baseUrl: server.baseUrl });
    expect(await rejectionOf(affkit.sale(SALE, { signal: controller.signal }))).toMatchObject({
      name: 'AffkitAbortError',
      attempts: 1,
    });
    expect([attempts, clock.pending()]).toEqual([['aborted'], []]);
  });

  test('a call removes its abort listener from a shared signal when it ends', async () => {
    const { signal } = new AbortController();
    const server = await serve(reply(503, '{}'), recorded);
    const { affkit } = makeClient({ baseUrl: server.baseUrl });
    await affkit.sale(SALE, { signal });
    await affkit.sale(SALE, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('an abort during a retry delay ends the call', async () => {
    const controller = new AbortController();
    const server = await serve(reply(503, '{}'));
    const { affkit, clock } = makeClient({
      baseUrl: server.baseUrl,
      hooks: { onRetry: () => queueMicrotask(() => controller.abort()) },
    });
    expect(await rejectionOf(affkit.sale(SALE, { signal: controller.signal }))).toMatchObject({
      name: 'AffkitAbortError',
      attempts: 1,
    });
    expect([server.requests.length, clock.pending()]).toEqual([1, []]);
  });
});
