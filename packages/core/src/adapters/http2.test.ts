import { connect, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { echo, LIMIT } from '../../test/support/adapters.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { nodeAdapter } from './node.ts';

/** Starts an HTTP/2 server with the node adapter. @returns a function that sends a POST request to it */
async function sendToHttp2(handle: (request: HttpRequest) => Promise<HttpReply | null>) {
  const listener = nodeAdapter({ handle });
  // The adapter uses only what the messages of HTTP/1 and HTTP/2 have in common.
  const server = createServer(listener as unknown as Parameters<typeof createServer>[1]);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return async (body: string, headers: Record<string, string> = {}) => {
    const stream = client.request({ ':method': 'POST', ':path': '/', ...headers });
    const response = new Promise<IncomingHttpHeaders>((resolve) => stream.once('response', resolve));
    stream.end(body);
    const { ':status': status } = await response;
    const chunks: Uint8Array[] = await stream.toArray();
    return { status, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown };
  };
}

test.each([
  ['without Host', { ':authority': 'affiliates.example' }],
  ['with another Host', { ':authority': 'affiliates.example', host: 'other.example' }],
])('node: uses :authority as the host of an HTTP/2 request %s', async (_name, headers) => {
  const send = await sendToHttp2(async (request) => ({
    status: 200,
    headers: {},
    body: { host: request.header('host') },
  }));
  expect(await send('', headers)).toEqual({
    status: 200,
    body: { host: 'affiliates.example' },
  });
});

test('node: returns 413 for a large body over HTTP/2, without a Connection header', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const send = await sendToHttp2(echo);
  expect(await send('x'.repeat(LIMIT + 1))).toEqual({ status: 413, body: { error: 'too large' } });
  expect(warned).not.toHaveBeenCalled();
});
