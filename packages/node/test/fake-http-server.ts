import { createServer } from 'node:http';
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return Object.assign(fake, {
    baseUrl: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
