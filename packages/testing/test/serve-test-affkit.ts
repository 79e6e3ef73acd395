import { listen } from '../../core/test/support/listen.ts';
import type { TestAffkit } from '../src/index.ts';

/** Serves the test server on a free loopback port. If its fetch rejects, the connection is closed. */
export function serveTestAffkit(affkit: Pick<TestAffkit, 'baseUrl' | 'fetch'>): Promise<string> {
  return listen(async (request, response) => {
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
}
