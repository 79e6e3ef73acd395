import { execFile } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { installPacked, makeProject } from './packed-project.ts';
import { duplicateSale, RECORDED } from './replies.ts';

const run = promisify(execFile);
const PROGRAM = 'runtime-program.mjs';

let folder = '';
let project = '';

beforeAll(async () => {
  ({ folder, project } = makeProject());
  await installPacked('node', project);
  copyFileSync(join(import.meta.dirname, PROGRAM), join(project, PROGRAM));
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Answers 503 once, records each sale once, never answers `order-silent` and redirects `order-redirect`. Lists partners. */
async function startServer(): Promise<string> {
  const known = new Set<string>();
  let requests = 0;
  const server = createServer(async (request, response) => {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return `http://127.0.0.1:${address.port}`;
}

const deno = join(dirname(createRequire(import.meta.url).resolve('deno/package.json')), 'bin.cjs');

test.each([
  ['Node', process.execPath, []],
  // Deno has permission for loopback connections only, not for files or environment variables.
  ['Deno', process.execPath, [deno, 'run', '--no-prompt', '--allow-net=127.0.0.1']],
])(
  'the installed package works in %s',
  async (_runtime, command, args) => {
    const { stdout } = await run(command, [...args, PROGRAM, await startServer()], { cwd: project });
    expect(JSON.parse(stdout)).toEqual({
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
    });
  },
  60_000,
);
