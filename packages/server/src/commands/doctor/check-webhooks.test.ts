import { expect, test } from 'vitest';
import { listen } from '../../../../core/test/support/listen.ts';
import { checkWebhooks } from './check-webhooks.ts';

/** Starts a server that answers as Affkit for connection 1, and as a firewall for all others. */
function startServer() {
  return listen((request, response) => {
    const isAffkit = request.method === 'POST' && request.url === '/api/v1/webhooks/processor/1';
    response
      .writeHead(isAffkit ? 400 : 403)
      .end(isAffkit ? '{"code":"webhook_signature_invalid"}' : '<h1>Forbidden</h1>');
  });
}

test('reports webhooks that a firewall blocks, and those that have never arrived', async () => {
  const url = await startServer();
  const levels = async (id: number, lastReceivedAt: number | null) =>
    (await checkWebhooks(url, [{ id, workspaceId: 1, lastReceivedAt }])).map(({ level }) => level);
  expect(await levels(1, Date.UTC(2026, 0, 1))).toEqual(['ok']);
  expect(await levels(1, null)).toEqual(['warning']);
  expect(await levels(2, Date.UTC(2026, 0, 1))).toEqual(['problem']);
  expect(await checkWebhooks(url, [])).toMatchObject([{ level: 'ok' }]);
});
