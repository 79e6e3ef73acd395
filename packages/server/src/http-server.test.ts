import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHttpServer, drain } from './http-server.ts';

let server: Server | undefined;
afterEach(async () => server && drain(server));

/**
 * All that such a server says to these bytes, until it closes the connection.
 * @param further what is sent as soon as the answer begins
 */
async function answerTo(bytes: string, app: RequestListener, further?: string): Promise<string> {
  server = createHttpServer(app, { requestTimeoutMs: 50, checkEveryMs: 10 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return talk(server, bytes, further);
}

async function talk(to: Server, bytes: string, further?: string): Promise<string> {
  // A listening server has an address with a port.
  const socket = connect((to.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (text: string) => {
    if (answer === '' && further !== undefined) socket.write(further);
    answer += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 4\r\n';

const answerBody: RequestListener = async (request, response) => {
  for await (const _chunk of request);
  response.end('answered');
};

test.each([
  ['head', HEAD],
  ['body', `${HEAD}\r\n{"`],
])(
  'half a %s that is not followed by the rest is answered 408, and its connection closed',
  async (_of, bytes) => {
    const gone = (error: unknown) => expect(error).toMatchObject({ code: 'ECONNRESET' });
    const app: RequestListener = (...message) => void Promise.resolve(answerBody(...message)).catch(gone);
    const answer = await answerTo(bytes, app);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expectError(answer, { code: 'request_timeout', error: 'The request did not arrive in time' }, 'true');
  },
);

test.each([
  ['no HTTP', 'hello\r\n\r\n', '400 Bad Request', 'malformed_request', 'The request is not valid HTTP'],
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'Request headers too large',
  ],
])('%s is refused in the shape of every error', async (_what, bytes, status, code, error) => {
  const answer = await answerTo(bytes, answerBody);
  expect(answer.slice(0, answer.indexOf('\r\n'))).toBe(`HTTP/1.1 ${status}`);
  expectError(answer, { code, error }, 'false');
});

test('an answer that is on its way is not followed by another', async () => {
  const app: RequestListener = (request, response) => {
    request.on('error', () => {});
    response.writeHead(200, { 'content-length': '4' });
    response.write('on');
  };
  const head = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
  const answer = await answerTo(head, app, 'no chunk\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).not.toContain('malformed_request');
});

/** Of the answer as it is sent: its body, and the headers that every error has. */
function expectError(answer: string, said: { code: string; error: string }, shouldRetry: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(': ')),
  );
  const { request_id, ...rest } = JSON.parse(body) as Record<string, unknown>;
  expect(rest).toEqual(said);
  expect(headers).toEqual({
    'x-request-id': request_id,
    'x-should-retry': shouldRetry,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    connection: 'close',
  });
}

test('an answer may take longer than the request', async () => {
  const app: RequestListener = async (request, response) => {
    // It comes later, and is given up for its age.
    if (server) await talk(server, 'GET / HTTP/1.1\r\n');
    answerBody(request, response);
  };
  expect(await answerTo(`${HEAD}\r\nbody`, app)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*answered/s);
});
