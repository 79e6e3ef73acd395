import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createHttpServer, drain } from './http-server.ts';

let server: Server | undefined;
afterEach(async () => server && drain(server));

/**
 * Starts a server with short timeouts and sends the bytes.
 * @param more bytes to send when the response starts
 * @returns everything that the server sends until it closes the connection
 */
async function send(
  bytes: string,
  app: RequestListener,
  { more, requestTimeoutMs = 50 }: { more?: string; requestTimeoutMs?: number } = {},
): Promise<string> {
  server = createHttpServer(app, { requestTimeoutMs, checkEveryMs: 10 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return exchange(server, bytes, more);
}

async function exchange(to: Server, bytes: string, more?: string): Promise<string> {
  // The cast is safe because a listening server has an address with a port.
  const socket = connect((to.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  let response = '';
  socket.on('data', (text: string) => {
    if (response === '' && more !== undefined) socket.write(more);
    response += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return response;
}

const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 4\r\n';

const respondAfterBody: RequestListener = async (request, response) => {
  for await (const _chunk of request);
  response.end('answered');
};

test.each([
  ['head', HEAD],
  ['body', `${HEAD}\r\n{"`],
])(
  'returns 408 and closes the connection when the rest of the %s does not arrive in time',
  async (_part, bytes) => {
    const expectReset = (error: unknown) => expect(error).toMatchObject({ code: 'ECONNRESET' });
    const app: RequestListener = (...message) =>
      void Promise.resolve(respondAfterBody(...message)).catch(expectReset);
    const response = await send(bytes, app);
    expect(response).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expectError(response, { code: 'request_timeout', error: 'The request did not arrive in time' }, 'true');
  },
);

test.each([
  [
    'bytes that are not HTTP',
    'hello\r\n\r\n',
    '400 Bad Request',
    'malformed_request',
    'The request is not valid HTTP',
  ],
  [
    'oversized headers',
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(1_000_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'Request headers too large',
  ],
])('rejects %s with the usual error body', async (_what, bytes, status, code, error) => {
  // On a busy machine, sending the headers can take longer than a short timeout.
  const response = await send(bytes, respondAfterBody, { requestTimeoutMs: 60_000 });
  expect(response.slice(0, response.indexOf('\r\n'))).toBe(`HTTP/1.1 ${status}`);
  expectError(response, { code, error }, 'false');
});

test('sends no response body when it rejects a HEAD request with oversized headers', async () => {
  const response = await send(
    `HEAD / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    respondAfterBody,
    { requestTimeoutMs: 60_000 },
  );
  expect(response).toMatch(/^HTTP\/1\.1 431 [\s\S]*\r\n\r\n$/);
  expect(response).not.toContain('headers_too_large');
});

test('closes the connection of a rejected request after 2 seconds if the client does not close it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  server = createHttpServer(respondAfterBody);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  client.write('hello\r\n\r\n');
  const [socket] = await accepted;
  await once(client, 'end');
  vi.advanceTimersByTime(1_999);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
  client.destroy();
});

test('sends no error after a response has started', async () => {
  const app: RequestListener = (request, response) => {
    request.on('error', () => {});
    response.writeHead(200, { 'content-length': '4' });
    response.write('on');
  };
  const head = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
  const response = await send(head, app, { more: 'not a chunk\r\n' });
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(response).not.toContain('malformed_request');
});

/** Checks the body and all headers of a raw error response. */
function expectError(response: string, expected: { code: string; error: string }, shouldRetry: string): void {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(': ')),
  );
  const { request_id, ...rest } = JSON.parse(body) as Record<string, unknown>;
  expect(rest).toEqual(expected);
  expect(headers).toEqual({
    'x-request-id': request_id,
    'x-should-retry': shouldRetry,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    connection: 'close',
  });
}

test('does not apply the request timeout to the response', async () => {
  const app: RequestListener = async (request, response) => {
    // Respond to the first request only after a second request, which starts later, has timed out. Responding to the
    // first request then takes longer than the timeout.
    if (server) await exchange(server, 'GET / HTTP/1.1\r\n');
    respondAfterBody(request, response);
  };
  expect(await send(`${HEAD}\r\nbody`, app)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*answered/s);
});

test('closes a connection that leaves a response unread', async () => {
  server = createHttpServer((_request, response) => response.end(Buffer.alloc(32 * 1024 * 1024)), {
    idleTimeoutMs: 50,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // The system may reset a connection that is closed with unsent bytes. The client then gets this error.
  client.on('error', (error) => expect(error).toMatchObject({ code: 'ECONNRESET' }));
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [socket] = await accepted;
  await once(socket, 'close');
  client.destroy();
});

test('closes a connection that sends 100 requests without waiting for a response', async () => {
  // If the server closes the connection before it has read all bytes, the client gets ECONNRESET.
  const expectReset = (error: unknown) => {
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    return '';
  };
  const response = send('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100), () => {}).catch(expectReset);
  expect(await response).toBe('');
});
