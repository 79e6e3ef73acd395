import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { adapters, echo, LIMIT } from '../../test/support/adapters.ts';

const { fetch: _, ...onSockets } = adapters;

describe.each(Object.entries(onSockets))('%s adapter', (_name, mount) => {
  test('returns 413 for an endless body and closes the connection', async () => {
    const send = await mount(echo);
    const { url } = await send('/');
    const sent = httpRequest(url, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } });
    sent.on('error', () => {});
    const received = new Promise<[number | undefined, string | undefined]>((resolve) => {
      sent.on('response', (response) => {
        response.resume();
        resolve([response.statusCode, response.headers.connection]);
      });
    });
    sent.write('x'.repeat(LIMIT + 1));
    expect(await received).toEqual([413, 'close']);
    sent.destroy();
  });

  test('reads the rest of a rejected body, then responds, and then closes the connection', async () => {
    const { port } = new URL((await (await mount(echo))('/')).url);
    const size = 4_000_000;
    for (const framing of [`Content-Length: ${size}`, 'Transfer-Encoding: chunked']) {
      const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
      const errors: Error[] = [];
      socket.on('error', (error) => errors.push(error));
      let received = '';
      let pending = 0;
      socket.setEncoding('latin1').on('data', (text: string) => {
        received += text;
        pending = socket.writableLength;
      });
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
      const isChunked = framing.startsWith('Transfer');
      if (isChunked) socket.write(`${size.toString(16)}\r\n`);
      socket.write('x'.repeat(LIMIT + 1));
      await new Promise(setImmediate);
      socket.write('x'.repeat(size - LIMIT - 1));
      socket.end(isChunked ? '\r\n0\r\n\r\n' : '');
      await closed;
      expect([received.slice(0, 12), pending, errors]).toEqual(['HTTP/1.1 413', 0, []]);
    }
  });

  test('closes the connection instead of reading a rejected body of 1 GB to its end', async () => {
    const { port } = new URL((await (await mount(echo))('/')).url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n');
    const chunk = Buffer.alloc(64 * 1024);
    const send = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await new Promise((resolve) => socket.on('close', resolve));
    expect(socket.bytesWritten).toBeLessThan(100_000_000);
  });

  test('fails only the current request when the client disconnects while sending the body', async () => {
    const outcomes: unknown[] = [];
    const handled = Promise.withResolvers<void>();
    const send = await mount(async (request) => {
      if (request.method === 'GET') return echo(request);
      outcomes.push(await request.body(LIMIT).catch((error: Error) => error.name));
      handled.resolve();
      return { status: 200, headers: {}, body: {} };
    });
    const { port } = new URL((await send('/')).url);
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf', () => socket.destroy());
    });
    await handled.promise;
    expect(outcomes).toEqual(['AbortError']);
    expect((await send('/')).status).toBe(200);
  });
});
