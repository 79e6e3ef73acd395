import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { limitPipelining, type PipeliningLimits } from './limit-pipelining.ts';

let server: Server;
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

/** Starts a server and opens a connection to it. Returns both ends of the connection. */
async function open(listener: RequestListener, limits?: PipeliningLimits) {
  server = createServer(limitPipelining(listener, limits));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  clients.push(client);
  const [socket] = await accepted;
  return { client, socket };
}

const get = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `GET /${from + index} HTTP/1.1\r\nhost: x\r\n\r\n`).join('');

/** Reads until `count` responses have arrived. Returns their bodies, which contain the request paths. */
async function readPaths(client: Socket, count: number): Promise<string[]> {
  let received = '';
  const paths = () => received.match(/(?<=\r\n\r\n)\/\d+/g) ?? [];
  for await (const chunk of client.iterator({ destroyOnReturn: false })) {
    received += chunk;
    if (paths().length >= count) break;
  }
  return paths();
}

const range = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

test('processes 32 requests of a connection at the same time and answers all in order', async () => {
  const inProcess: [string | undefined, ServerResponse][] = [];
  let most = 0;
  const { client } = await open(async (request, response) => {
    most = Math.max(most, inProcess.push([request.url, response]));
    if (inProcess.length < 32 && request.url !== '/59') return;
    // Wait for some turns of the event loop, to see whether a 33rd request is processed. Then answer the last
    // request first.
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    for (const [url, answered] of inProcess.splice(0).reverse()) answered.end(url);
  });
  client.write(get(0, 60));
  expect(await readPaths(client, 60)).toEqual(range(60));
  expect(most).toBe(32);
});

test('processes one waiting request of a connection per turn of the event loop', async () => {
  const turns: number[] = [];
  let turn = 0;
  let isDone = false;
  const { client } = await open((request, response) => {
    turns.push(turn);
    response.end(request.url);
  });
  const count = async () => {
    for (; !isDone; turn++) await nextTurn();
  };
  const counted = count();
  client.write(get(0, 10));
  await readPaths(client, 10);
  isDone = true;
  await counted;
  expect(new Set(turns).size).toBe(10);
});

test('reads the bodies of requests that had to wait', async () => {
  const bodies: string[] = [];
  const { client } = await open(
    async (request, response) => {
      const body = await text(request);
      bodies.push(body);
      response.end(body);
    },
    { maxRequests: 4 },
  );
  const post = (body: string) =>
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const last = post('/7');
  client.write(`${range(7).map(post).join('')}${last.slice(0, -1)}`);
  await expect.poll(() => bodies.length).toBe(7);
  client.write(last.slice(-1));
  expect(await readPaths(client, 8)).toEqual(range(8));
});

test('does not read or process more requests while a client leaves over 1 MiB of responses unread', async () => {
  const processed: (string | undefined)[] = [];
  const big = Buffer.alloc(12 * 1024 * 1024, '\0');
  const { client, socket } = await open((request, response) => {
    processed.push(request.url);
    if (request.url === '/0') response.write(big);
    response.end(request.url);
  });
  client.pause();
  client.write(get(0, 3));
  await expect.poll(() => socket.isPaused()).toBe(true);
  client.write(get(3, 3));
  const before = socket.bytesRead;
  await expect.poll(() => client.writableLength).toBe(0);
  // After a round trip on another connection, the event loop has had time to read the last three requests.
  const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(other);
  await once(other, 'connect');
  expect([processed, socket.bytesRead]).toEqual([['/0'], before]);
  client.resume();
  await expect.poll(() => processed).toEqual(range(6));
});

test('closes a connection at the limit when none of its responses completes in time', async () => {
  const processed: (string | undefined)[] = [];
  const { client } = await open((request) => void processed.push(request.url), {
    maxRequests: 2,
    stallTimeoutMs: 20,
  });
  client.write(get(0, 3));
  client.resume();
  await once(client, 'close');
  expect(processed).toEqual(['/0', '/1']);
});

test('closes a connection when its unanswered requests exceed twice the limit, and drops the waiting requests', async () => {
  const processed: [string | undefined, ServerResponse][] = [];
  const { client } = await open((request, response) => void processed.push([request.url, response]), {
    maxRequests: 2,
  });
  client.write(get(0, 5));
  client.resume();
  client.on('error', () => {});
  await once(client, 'close');
  for (const [, response] of processed) response.end();
  await nextTurn();
  expect(processed.map(([url]) => url)).toEqual(['/0']);
});

test('does not limit how many requests a connection sends one after the other', async () => {
  const { client } = await open((request, response) => response.end(request.url), { maxRequests: 1 });
  for (let sent = 0; sent < 20; sent++) {
    client.write(get(sent, 1));
    expect(await readPaths(client, 1)).toEqual([`/${sent}`]);
  }
});
