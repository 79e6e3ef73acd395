import { MockAgent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeClient, rejectionOf, SALE, TOKEN } from '../test/client.ts';
import { duplicateSale, RECORDED } from '../test/replies.ts';
import { longReply, reply, type Step, startSocketServer } from '../test/socket-server.ts';
import { AffkitManagement } from './management/index.ts';
import { undiciTransport } from './undici.ts';

const recorded = reply(200, JSON.stringify(RECORDED.sale), { 'x-request-id': 'req-1' });
const duplicate = reply(409, JSON.stringify(duplicateSale('duplicate_transaction')));
const reset: Step = (socket) => socket.resetAndDestroy();

async function begin(...steps: readonly Step[]) {
  const server = await startSocketServer(...steps);
  onTestFinished(() => server.close());
  const transport = undiciTransport({ connections: 2 });
  onTestFinished(() => transport.close());
  return { server, transport, ...makeClient({ baseUrl: server.baseUrl, transport }) };
}

describe('on real sockets', () => {
  test('streams an export that is longer than the limit for other replies', async () => {
    const csv = `id\r\n${'1\r\n'.repeat(700_000)}`;
    const file = reply(200, csv, { 'content-type': 'text/csv; charset=utf-8' });
    const row = reply(200, JSON.stringify({ success: true, data: { id: 1 } }));
    const { server, transport } = await begin(file, row, file, file, row);
    const management = new AffkitManagement({
      apiKey: 'affk_key',
      baseUrl: server.baseUrl,
      programId: 1,
      transport,
    });
    expect(await new Response(await management.payouts.exportCsv()).text()).toBe(csv);
    expect(await management.payouts.get(1)).toEqual({ id: 1 });
    // A cancelled export frees its connection.
    const [first, second] = [await management.payouts.exportCsv(), await management.payouts.exportCsv()];
    await Promise.all([first.cancel(), second.cancel()]);
    expect(await management.payouts.get(1)).toEqual({ id: 1 });
  });

  test('sends the event with its token and reads the response', async () => {
    const { affkit, server } = await begin(recorded);
    expect(await affkit.sale(SALE)).toEqual({
      status: 'recorded',
      saleId: 1,
      commissionId: 2,
      requestId: 'req-1',
      attempts: 1,
    });
    expect(server.requests[0]).toContain(`authorization: Bearer ${TOKEN}`);
    expect(server.requests[0]).toContain('POST /api/v1/track/sale ');
  });

  test('opens at most the configured number of connections and reuses them', async () => {
    const { affkit, server } = await begin(recorded);
    await Promise.all(Array.from({ length: 20 }, () => affkit.sale(SALE)));
    await affkit.sale(SALE);
    expect([server.requests.length, server.connections() <= 2]).toEqual([21, true]);
  });

  test('retries immediately if the server resets a connection', async () => {
    const { affkit, delays } = await begin(recorded, reset, recorded);
    await affkit.sale(SALE);
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 2 });
    expect(delays).toEqual([0]);
  });

  test('waits for the time in Retry-After, and resolves with status duplicate after a 409', async () => {
    const { affkit, delays } = await begin(
      reply(429, '{}', { 'retry-after': '3' }),
      reply(409, JSON.stringify(duplicateSale('duplicate_transaction', { identical: true }))),
    );
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'duplicate', ownedByCaller: true });
    expect(delays).toEqual([3000]);
  });

  test('throws on a redirect', async () => {
    const { affkit, server } = await begin(reply(307, '', { location: 'https://elsewhere.test/' }));
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({ code: 'redirected', status: 307 });
    expect(server.requests).toHaveLength(1);
  });

  test('closes the connection when the response times out', async () => {
    let advance: (ms: number) => void = () => {};
    const closed = Promise.withResolvers<void>();
    const { affkit, clock } = await begin((socket) => {
      socket.on('close', () => closed.resolve());
      advance(10_000);
    });
    advance = clock.advance;
    expect(await rejectionOf(affkit.sale(SALE, { maxRetries: 0 }))).toMatchObject({ code: 'timeout' });
    await closed.promise;
  });

  test.each<[string, Step]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
  ])('repeats the request if the connection is %s in the middle of the body of a 200', async (_how, then) => {
    const { affkit, server } = await begin((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"success":true,', () => then(socket));
    }, duplicate);
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'duplicate', attempts: 2 });
    expect(server.requests).toHaveLength(2);
  });

  test('closes the connection and repeats the request if the body of a 200 never arrives', async () => {
    const closed = Promise.withResolvers<void>();
    const server = await startSocketServer((socket) => {
      socket.on('close', () => closed.resolve());
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"success":true,');
    }, duplicate);
    onTestFinished(() => server.close());
    const undici = undiciTransport();
    onTestFinished(() => undici.close());
    const { affkit, clock } = makeClient({
      baseUrl: server.baseUrl,
      transport: async (request) => {
        const response = await undici(request);
        // The headers have arrived; let the body time out.
        if (response.status === 200) setImmediate(() => clock.advance(10_000));
        return response;
      },
    });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'duplicate', attempts: 2 });
    await closed.promise;
  });

  test('stops reading an overlong response and throws an error with its status', async () => {
    const sent = Promise.withResolvers<number>();
    const { affkit } = await begin(longReply(503, sent.resolve));
    expect(await rejectionOf(affkit.sale(SALE, { maxRetries: 0 }))).toMatchObject({
      name: 'AffkitServerError',
      code: 'http_503',
    });
    // The client stops reading after 1 MiB. The operating system buffers some more.
    expect(await sent.promise).toBeLessThan(32 * 1024 * 1024);
  });

  test('reads a response that arrives in two parts after an informational response', async () => {
    const { affkit } = await begin((socket) => {
      const body = JSON.stringify({ ...RECORDED.sale, reason: 'für später' });
      const head = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
      const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
      const bytes = Buffer.from(hint + head + body);
      // Splits the body between the two bytes of the ü.
      const at = bytes.indexOf('ü') + 1;
      socket.write(bytes.subarray(0, at), () => setImmediate(() => socket.write(bytes.subarray(at))));
    });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 1, reason: 'für später' });
  });

  test('does not send a request that timed out while waiting for a connection', async () => {
    const arrived = Promise.withResolvers<() => void>();
    const server = await startSocketServer((socket) => arrived.resolve(() => recorded(socket)));
    onTestFinished(() => server.close());
    const transport = undiciTransport({ connections: 1 });
    const { affkit, clock } = makeClient({ baseUrl: server.baseUrl, transport });
    const first = affkit.sale(SALE, { timeoutMs: 20_000 });
    const answerFirst = await arrived.promise;
    const second = rejectionOf(affkit.sale({ ...SALE, transaction_id: 'order-2' }, { maxRetries: 0 }));
    clock.advance(10_000);
    expect(await second).toMatchObject({ code: 'timeout' });
    answerFirst();
    expect(await first).toMatchObject({ status: 'recorded' });
    await transport.close();
    expect(server.requests).toHaveLength(1);
  });

  test('reports a refused connection without the token', async () => {
    const { affkit, server } = await begin(recorded);
    await server.close();
    const error = await rejectionOf(affkit.sale(SALE, { maxRetries: 0 }));
    expect(error).toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(JSON.stringify(error)).not.toContain(TOKEN);
  });
});

test('throws for a dispatcher that cannot send requests, as in Bun', () => {
  const dispatcher = Object.assign(new MockAgent(), { dispatch: undefined }) as unknown as MockAgent;
  onTestFinished(() => dispatcher.close());
  expect(() => undiciTransport({ dispatcher })).toThrow(
    'The dispatcher of undici has no method dispatch. In Bun, omit the option transport',
  );
});

test('accepts a MockAgent as dispatcher', async () => {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher
    .get('https://affkit.test')
    .intercept({ path: '/api/v1/track/sale', method: 'POST' })
    .reply(200, { ...RECORDED.sale, sale_id: 5, commission_id: null, reason: 'window_expired' });
  const { affkit } = makeClient({ transport: undiciTransport({ dispatcher }) });
  expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 5, reason: 'window_expired' });
  dispatcher.assertNoPendingInterceptors();
  await dispatcher.close();
});
