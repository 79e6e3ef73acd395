import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../../../../core/test/support/listen.ts';
import { prepareTracker } from '../../tracker-script.ts';
import { checkServer } from './check-server.ts';

type Headers = Readonly<Record<string, string>>;
type Answer = (response: ServerResponse, requests: number) => void;

const SCRIPT = 'tracker();';
const tracker = prepareTracker({ script: SCRIPT, linker: 'linker();' }, {});
const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=300',
};
const scriptWith =
  (headers: Headers, body = SCRIPT, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { ...SCRIPT_HEADERS, ...headers }).end(body);
const meWith =
  (headersOf: (requests: number) => Headers): Answer =>
  (response, requests) =>
    response.writeHead(401, { 'cache-control': 'no-store', ...headersOf(requests) }).end('{}');

/** Checks a server that works, except for the given paths. */
async function examine(faults: Readonly<Record<string, Answer>>) {
  const answers: Readonly<Record<string, Answer>> = {
    '/healthz': (response) => response.end('{"status":"ok"}'),
    '/readyz': (response) => response.end('{}'),
    '/js/affkit.js': scriptWith({}),
    '/api/auth/me': meWith((requests) => ({ 'x-request-id': `req_${requests}` })),
    '/api/v1/track/click': (response) =>
      response
        .writeHead(204, {
          'access-control-allow-origin': 'https://shop.example',
          'access-control-allow-credentials': 'true',
        })
        .end(),
    ...faults,
  };
  let requests = 0;
  const publicUrl = await listen((request, response) => {
    requests += 1;
    answers[request.url ?? '']?.(response, requests);
  });
  const findings = await checkServer({
    publicUrl,
    metricsToken: undefined,
    tracker,
    scriptPath: '/js/affkit.js',
    pageOrigin: 'https://shop.example',
  });
  return findings.filter(({ check }) => check !== 'server.proxies');
}

test('finds nothing wrong with a server that works', async () => {
  expect((await examine({})).map(({ check, level }) => `${level} ${check}`)).toEqual([
    'ok server.reachable',
    'ok server.clock',
    'ok server.ready',
    'ok server.cache',
    'ok tracker.script',
    'ok tracker.cors',
  ]);
});

const hourAgo: Answer = (response) =>
  response.writeHead(200, { date: new Date(Date.now() - 3_600_000).toUTCString() }).end('{"status":"ok"}');

test.each<[string, string, string, Readonly<Record<string, Answer>>]>([
  ['a clock that is an hour behind', 'problem server.clock', 's behind', { '/healthz': hourAgo }],
  [
    'a database that does not answer',
    'problem server.ready',
    '/readyz answers 503',
    { '/readyz': (response) => response.writeHead(503).end() },
  ],
  [
    'API replies with a header that reports a cache hit',
    'problem server.cache',
    'x-cache: HIT from proxy',
    { '/api/auth/me': meWith(() => ({ 'x-cache': 'HIT from proxy' })) },
  ],
  [
    'API replies with an age',
    'problem server.cache',
    'Age: 7',
    { '/api/auth/me': meWith(() => ({ age: '7' })) },
  ],
  [
    'a cache that adds no header',
    'problem server.cache',
    'req_1 twice',
    { '/api/auth/me': meWith(() => ({ 'x-request-id': 'req_1' })) },
  ],
  [
    'a script that is missing',
    'problem tracker.script',
    'answers 404',
    { '/js/affkit.js': scriptWith({}, '', 404) },
  ],
  [
    'a script of another content type',
    'problem tracker.script',
    'has the content type text/html',
    { '/js/affkit.js': scriptWith({ 'content-type': 'text/html' }) },
  ],
  [
    'a cached script: the same headers, but other bytes',
    'warning tracker.script',
    'is not the tracker of this version',
    { '/js/affkit.js': scriptWith({}, 'old();') },
  ],
  [
    'a script that a cache keeps for too long',
    'warning tracker.script',
    'longer than its Cache-Control allows',
    { '/js/affkit.js': scriptWith({ age: '301' }) },
  ],
])('finds %s', async (_name, expected, message, faults) => {
  const found = (await examine(faults)).filter(({ level }) => level !== 'ok');
  expect(found.map(({ check, level }) => `${level} ${check}`)).toEqual([expected]);
  expect(found[0]?.message).toContain(message);
  expect(found[0]?.advice).not.toBeNull();
});

test('accepts a cache that follows the Cache-Control of the script', async () => {
  const findings = await examine({ '/js/affkit.js': scriptWith({ age: '120', 'x-cache': 'HIT' }) });
  expect(findings.find(({ check }) => check === 'tracker.script')).toMatchObject({
    level: 'ok',
    message: expect.stringContaining('A cache answers (Age: 120)'),
  });
});
