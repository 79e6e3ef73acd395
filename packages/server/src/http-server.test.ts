import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createHttpServer, drain } from './http-server.ts';

let server: Server | undefined;
afterEach(async () => server && drain(server));

/** All that such a server says to these bytes, until it closes the connection. */
async function answerTo(bytes: string, app: RequestListener): Promise<string> {
  server = createHttpServer(app, { requestTimeoutMs: 50, checkEveryMs: 10 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening server has an address with a port.
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (text: string) => {
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
    expect(await answerTo(bytes, app)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  },
);

test('an answer may take longer than the request', async () => {
  const app: RequestListener = async (request, response) => {
    await sleep(200);
    answerBody(request, response);
  };
  expect(await answerTo(`${HEAD}\r\nbody`, app)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*answered/s);
});
