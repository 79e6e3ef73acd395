import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFiles } from '@affkit/dashboard/files';
import { expect, onTestFinished, test } from 'vitest';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { eventLoopCpuMs, peakMebibytes } from './process-usage.ts';
import { runServer, type ServerProcess } from './server-process.ts';

const ATTACK_MS = byDepth({ short: 500, long: 5_000 });
const MAX_MEBIBYTES = 400;
/** The maximum CPU time that the server may use before it answers another client. */
const MAX_CPU_MS = 1_000;

/** The path of the dashboard's largest file. */
const [LARGEST_FILE = ''] = readFiles()
  .toSorted((one, other) => other.bytes.length - one.bytes.length)
  .map(({ path }) => `/app/${path}`);

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
const CLICK = JSON.stringify({ affiliate_url: 'https://shop.example/?aff=anna' });
const click = `POST /api/v1/track/click HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${CLICK.length}\r\n\r\n${CLICK}`;

test.each([
  ['10 connections that each pipeline 1,300 documents', 10, get('/api/openapi.json').repeat(1_300)],
  ['100 connections that pipeline the tracker', 100, `${get('/js/affkit.js')}${click}`.repeat(650)],
  ['100 connections that pipeline the dashboard', 100, `${get(LARGEST_FILE)}${get('/app/p/1')}`.repeat(650)],
])('answers other clients despite %s and read nothing', async (_, connections, requests) => {
  const server = runServer();
  const port = await server.listening;
  await expectHealthy(server);
  const stopAttack = attack(port, connections, requests);
  const until = performance.now() + ATTACK_MS;
  while (performance.now() < until) {
    expect(await eventLoopCpuMs(server, () => expectHealthy(server))).toBeLessThan(MAX_CPU_MS);
    await sleep(50);
  }
  stopAttack();
  expect(peakMebibytes(server)).toBeLessThan(MAX_MEBIBYTES);
  const responses = await exchange(port, `${get('/healthz').repeat(20)}${get('/readyz')}`);
  expect(responses.match(/"status":"(ok|ready)"/g)).toEqual([
    ...Array.from({ length: 20 }, () => '"status":"ok"'),
    '"status":"ready"',
  ]);
});

/**
 * Opens connections that send the requests but never read a response. Replaces each connection that closes.
 * Returns a function that ends the attack.
 */
function attack(port: number, connections: number, requests: string): () => void {
  const sockets = new Set<Socket>();
  let isStopped = false;
  const open = () => {
    // Without a `data` listener, the socket reads nothing.
    const socket = connect(port, '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isStopped) open();
    });
    socket.write(requests);
  };
  for (let opened = 0; opened < connections; opened++) open();
  const stop = () => {
    isStopped = true;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(stop);
  return stop;
}

async function expectHealthy(server: ServerProcess): Promise<void> {
  const response = await server.send('/healthz');
  expect(await response.json()).toEqual({ success: true, status: 'ok' });
}

/** Sends the bytes. Returns everything that the server sends until it has answered the last request. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (text: string) => {
    received += text;
    if (received.includes('"ready"')) socket.end();
  });
  socket.write(bytes);
  await once(socket, 'close');
  return received;
}
