import { listen } from '../../core/test/support/listen.ts';
import { duplicateSale, RECORDED } from './replies.ts';

/** What `runtimes/sdk-program.mjs` returns in every runtime. */
export const SDK_RESULT = {
  partners: [1, 2],
  csv: 'id\r\n1\r\n2\r\n',
  batch: { '-1': 'invalid_field' },
  foreign: 'unexpected_reply',
  recorded: ['recorded', 2],
  repeated: 'duplicate',
  silent: 'timeout',
  aborted: 'aborted',
  redirected: 'redirected',
  verified: { id: 'evt_1' },
  read: { id: 'evt_1' },
  forged: 'webhook_verification_failed',
};

/**
 * Starts the server that `runtimes/sdk-program.mjs` needs. It answers the first request with 503, records each
 * sale once, never answers `order-silent`, and redirects `order-redirect`. It also lists two partners.
 */
export function startRuntimeServer(): Promise<string> {
  const known = new Set<string>();
  let requests = 0;
  return listen(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const url = new URL(request.url ?? '', 'http://host');
    const answer = (status: number, reply: object, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(reply));
    if (url.pathname.endsWith('.csv')) {
      return response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end('id\r\n1\r\n2\r\n');
    }
    if (url.pathname.endsWith('/partners')) {
      const page = Number(url.searchParams.get('page'));
      const pagination = { page, pageSize: 1, pageCount: 2, total: 2 };
      return answer(200, { success: true, data: [{ id: page }], meta: { pagination } });
    }
    if (request.method === 'GET') return answer(200, {});
    const { transaction_id: id } = JSON.parse(body) as { transaction_id: string };
    requests += 1;
    if (requests === 1) return answer(503, {}, { 'retry-after': '0' });
    if (id === 'order-silent') return;
    if (id === 'order-redirect') return answer(307, {}, { location: 'http://127.0.0.1:1/' });
    if (known.has(id)) return answer(409, duplicateSale('duplicate_transaction'));
    known.add(id);
    return answer(200, RECORDED.sale);
  });
}
