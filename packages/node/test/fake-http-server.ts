import { createServer } from 'node:http';
import { closeServer, listenOnLoopback } from '../../core/test/support/loopback-server.ts';
import { type FakeServer, fakeServer } from './fake-server.ts';

/** Starts a `fakeServer` on a free loopback port. */
export async function startFakeHttpServer(): Promise<
  FakeServer & { baseUrl: string; close(): Promise<void> }
> {
  const fake = fakeServer();
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
      const { signal } = new AbortController();
      const body = Buffer.concat(chunks).toString();
      const reply = await fake.transport({
        method: 'POST',
        url: request.url ?? '',
        headers: {},
        body,
        signal,
      });
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
    } catch {
      // The client process was killed.
      response.destroy();
    }
  });
  const baseUrl = await listenOnLoopback(server);
  return Object.assign(fake, { baseUrl, close: () => closeServer(server) });
}
