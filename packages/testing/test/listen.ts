import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { TestAffkit } from '../src/index.ts';

/** Serves the test server on a free loopback port. If its fetch rejects, the connection is closed. */
export async function listen(affkit: Pick<TestAffkit, 'baseUrl' | 'fetch'>): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = {
        'content-type': request.headers['content-type'] ?? 'application/json',
        authorization: request.headers.authorization ?? '',
      };
      const method = request.method ?? 'GET';
      const body = method === 'GET' ? null : Buffer.concat(chunks);
      const init = { method, headers, body };
      const reply = await affkit.fetch(affkit.baseUrl + (request.url ?? ''), init);
      response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return `http://127.0.0.1:${address.port}`;
}
