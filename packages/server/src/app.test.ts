import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { json, text } from 'node:stream/consumers';
import type { HttpRequest } from '@affkit/core';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { echo, startApp, TRACKER } from '../test/start-app.ts';
import { prepareTracker } from './tracker-script.ts';

const REQUEST_ID = /^req_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('serves the documentation at /', async () => {
  const send = await startApp({
    affkit: { handle: async (request) => (request.path === '/docs' ? echo(request) : null) },
  });
  expect((await send('/')).status).toBe(200);
  expect((await send('/', { method: 'POST' })).status).toBe(405);
});

describe('health', () => {
  test('returns 200 for /healthz and /readyz when ready', async () => {
    const send = await startApp();
    expect(await (await send('/healthz')).json()).toEqual({ success: true, status: 'ok' });
    expect(await (await send('/readyz')).json()).toEqual({ success: true, status: 'ready' });
  });

  test('/readyz and /metrics show the state of the read replica', async () => {
    const state = { status: 'used', lagMs: 412.3, reads: { replica: 7, primary: 1 } } as const;
    const send = await startApp({
      config: { trustProxy: false, metricsToken: 's3cret' },
      replicaState: () => state,
    });
    expect(await (await send('/readyz')).json()).toEqual({
      success: true,
      status: 'ready',
      replica: { status: 'used', lag_seconds: 0.412 },
    });
    const read = async () =>
      await (await send('/metrics', { headers: { authorization: 'Bearer s3cret' } })).text();
    for (const text of [await read(), await read()]) {
      expect(text).toContain('affkit_replica_lag_seconds 0.4123');
      expect(text).toContain('affkit_replica_used 1');
      expect(text).toContain('affkit_replica_reads_total{server="replica"} 7');
      expect(text).toContain('affkit_replica_reads_total{server="primary"} 1');
    }
  });

  test('returns 503 for /readyz and 200 for /healthz when not ready', async () => {
    const send = await startApp({ isReady: async () => false });
    expect((await send('/healthz')).status).toBe(200);
    const response = await send('/readyz');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('x-should-retry')).toBe('true');
    expect(await response.json()).toMatchObject({ code: 'unavailable', request_id: expect.any(String) });
  });
});

describe('errors and routing', () => {
  test('returns 404 with the usual error body for an unknown path', async () => {
    const response = await (await startApp())('/nowhere');
    const requestId = response.headers.get('x-request-id');
    expect(requestId).toMatch(REQUEST_ID);
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([404, 'false']);
    expect(await response.json()).toEqual({
      error: 'Not found',
      code: 'route_not_found',
      request_id: requestId,
    });
  });

  test.each(['/healthz', '/readyz', '/metrics', '/js/affkit.js'])(
    'returns 405 with the allowed methods for a wrong method on %s',
    async (path) => {
      const response = await (await startApp())(path, { method: 'POST' });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
    },
  );

  test('returns 500 without details for an unexpected error', async () => {
    const failing = {
      handle: async () => {
        throw new Error('inner detail');
      },
    };
    const send = await startApp({ affkit: failing });
    for (const method of ['GET', 'POST']) {
      const response = await send('/api/v1/track/click', { method });
      expect([method, response.status]).toEqual([method, 500]);
      const body: unknown = await response.json();
      expect(body).toMatchObject({
        code: 'internal_error',
        request_id: response.headers.get('x-request-id'),
      });
      expect(JSON.stringify(body)).not.toContain('inner detail');
    }
  });

  test('returns 404 for a tracking path without a route in core', async () => {
    const send = await startApp({ affkit: { handle: async () => null } });
    for (const name of ['click', 'lead', 'sale', 'refund']) {
      const response = await send(`/api/v1/track/${name}`, { method: 'POST', body: '{}' });
      expect([name, response.status]).toEqual([name, 404]);
    }
  });

  test.each(['', '?source=test'])('accepts an absolute URL as request target (query %j)', async (query) => {
    const seen: string[] = [];
    const handle = async (request: HttpRequest) => {
      seen.push(`${request.path} ${request.query}`);
      return echo(request);
    };
    const send = await startApp({
      affkit: { handle },
      tracker: prepareTracker(TRACKER, { endpoints: '/a/px' }),
    });
    const { port } = new URL((await send('/healthz')).url);
    for (const path of ['/api/v1/track/sale', '/api/v1/track/click', '/a/px/click']) {
      const target = `http://affkit.example:8787${path}${query}`;
      const sent = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: target });
      sent.end('{}');
      const [reply] = (await once(sent, 'response')) as [IncomingMessage];
      reply.resume();
      expect(reply.statusCode).toBe(200);
    }
    const track = (name: string) => `/api/v1/track/${name} ${query.slice(1)}`;
    expect(seen).toEqual([track('sale'), track('click'), track('click')]);
  });
});

describe('request ids', () => {
  test('generates an id for each request and passes it to core', async () => {
    const send = await startApp();
    const response = await send('/api/v1/track/click', { headers: { 'x-request-id': 'given-by-client' } });
    const { requestId } = (await response.json()) as { requestId: string };
    expect(requestId).toMatch(REQUEST_ID);
    expect(response.headers.get('x-request-id')).toBe(requestId);
    expect((await send('/healthz')).headers.get('x-request-id')).not.toBe(requestId);
  });

  test('uses a valid id from a trusted proxy', async () => {
    const send = await startApp({ config: { trustProxy: 1, metricsToken: undefined } });
    const idFor = async (given: string) =>
      (await send('/healthz', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await idFor('proxy-id-0001')).toBe('proxy-id-0001');
    expect(await idFor('no spaces please')).toMatch(REQUEST_ID);
  });

  test('if TRUST_PROXY lists addresses, uses an id only from a peer that the list includes', async () => {
    for (const [trusted, isUsed] of [
      ['127.0.0.0/8', true],
      ['10.0.0.1', false],
    ] as const) {
      const send = await startApp({ config: { trustProxy: [trusted], metricsToken: undefined } });
      const headers = { 'x-request-id': 'proxy-id-0001' };
      for (const init of [{ headers }, { headers, method: 'POST', body: '{}' }]) {
        const response = await send('/api/v1/track/click', init);
        const { requestId } = (await response.json()) as { requestId: string };
        expect([trusted, requestId === 'proxy-id-0001']).toEqual([trusted, isUsed]);
      }
    }
  });

  test('logs each request with its id, path without query, and status', async () => {
    const lines: Record<string, unknown>[] = [];
    let logged: () => void = () => {};
    const hasLogged = new Promise<void>((resolve) => {
      logged = resolve;
    });
    const log = pino(
      { level: 'debug' },
      {
        write: (line: string) => {
          lines.push(JSON.parse(line) as Record<string, unknown>);
          logged();
        },
      },
    );
    const response = await (await startApp({ log }))('/healthz?secret=1');
    await hasLogged;
    expect(lines).toEqual([
      expect.objectContaining({
        request_id: response.headers.get('x-request-id'),
        method: 'GET',
        path: '/healthz',
        status: 200,
        msg: 'request',
      }),
    ]);
  });
});

describe('client IP', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };

  test("without a trusted proxy, the IP is the peer's address, or null if the peer looks like a proxy", async () => {
    const send = await startApp();
    const direct = await send('/api/v1/track/click');
    expect(await direct.json()).toMatchObject({ ip: '127.0.0.1', secure: false });
    const proxied = await send('/api/v1/track/click', { headers: forwarded });
    expect(await proxied.json()).toMatchObject({ ip: null, secure: false });
  });

  test('the client IP of a sign-in is null if the peer looks like a proxy', async () => {
    const send = await startApp({ affkit: { handle: async (request) => echo(request) } });
    const response = await send('/api/auth/login', { method: 'POST', headers: forwarded, body: '{}' });
    expect(await response.json()).toMatchObject({ ip: null });
  });

  test.each([1, ['127.0.0.0/8']])(
    'the client IP is the forwarded address if the proxy is trusted (%s)',
    async (trustProxy) => {
      const send = await startApp({ config: { trustProxy, metricsToken: undefined } });
      const response = await send('/api/v1/track/click', { headers: forwarded });
      expect(await response.json()).toMatchObject({ ip: '203.0.113.7', secure: true });
    },
  );

  test("the client IP is the peer's address if TRUST_PROXY lists only other addresses", async () => {
    const send = await startApp({ config: { trustProxy: ['10.0.0.1'], metricsToken: undefined } });
    const response = await send('/api/v1/track/click', { headers: forwarded });
    expect(await response.json()).toMatchObject({ ip: '127.0.0.1', secure: false });
  });
});

describe('security headers', () => {
  const pageHeaders = ['content-security-policy', 'x-frame-options'];
  const secureHeaders = ['cross-origin-opener-policy', 'origin-agent-cluster'];
  const commonHeaders = [
    'cross-origin-resource-policy',
    'strict-transport-security',
    'x-content-type-options',
  ];

  test('responses that a browser could render as a page have all security headers', async () => {
    const send = await startApp();
    for (const path of ['/nowhere', '/healthz', '/js/affkit.js', '/api/v1/track/click']) {
      const { headers } = await send(path);
      const missing = [...pageHeaders, ...commonHeaders].filter((name) => !headers.has(name));
      expect([path, missing]).toEqual([path, []]);
    }
  });

  test('isolation headers are sent only over https, because browsers log a warning for them on http', async () => {
    const send = await startApp({ config: { trustProxy: ['127.0.0.1'], metricsToken: undefined } });
    for (const proto of ['http', 'https']) {
      const { headers } = await send('/nowhere', { headers: { 'x-forwarded-proto': proto } });
      const expected = proto === 'https' ? secureHeaders : [];
      expect([proto, secureHeaders.filter((name) => headers.has(name))]).toEqual([proto, expected]);
    }
  });

  test('HSTS applies to the host, but not to its subdomains', async () => {
    const { headers } = await (await startApp())('/healthz');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  test('tracking responses have no headers that affect only pages', async () => {
    const send = await startApp();
    const page = await send('/healthz');
    for (const name of ['click', 'lead', 'sale', 'refund']) {
      const { headers } = await send(`/api/v1/track/${name}`, { method: 'POST', body: '{}' });
      for (const header of commonHeaders) {
        expect([header, headers.get(header)]).toEqual([header, page.headers.get(header)]);
      }
      expect([name, pageHeaders.filter((header) => headers.has(header))]).toEqual([name, []]);
    }
  });
});

describe('metrics', () => {
  test('the metrics count requests by route and status', async () => {
    const send = await startApp({ config: { trustProxy: false, metricsToken: 's3cret' } });
    await send('/api/v1/track/click');
    await send('/api/v1/track/click');
    await send('/nowhere');
    const text = await (await send('/metrics', { headers: { authorization: 'Bearer s3cret' } })).text();
    expect(text).toContain(
      'affkit_http_requests_total{method="GET",route="/api/v1/track/click",status="200"} 2',
    );
    expect(text).toContain('affkit_http_request_duration_seconds_count{route="/api/v1/track/click"} 2');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toContain('nowhere');
  });

  test('without METRICS_TOKEN, /metrics is forbidden even to loopback, because local proxies use loopback too', async () => {
    const send = await startApp();
    for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer undefined' }]) {
      const response = await send('/metrics', { headers });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ code: 'forbidden' });
    }
  });

  test('with METRICS_TOKEN, /metrics requires that token', async () => {
    const send = await startApp({ config: { trustProxy: false, metricsToken: 's3cret' } });
    const withToken = (authorization: string) => send('/metrics', { headers: { authorization } });
    expect((await withToken('Bearer s3cret')).status).toBe(200);
    expect((await withToken('Bearer s3cre')).status).toBe(401);
    expect((await withToken('s3cret')).status).toBe(401);
    expect((await send('/metrics')).status).toBe(401);
  });
});

test('sends a content security policy, and no x-powered-by header', async () => {
  const response = await (await startApp())('/healthz');
  expect(response.headers.get('x-powered-by')).toBeNull();
  expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
});

test.each(['/%E0%A4%A', 'http://[', '*'])('returns 404 for the invalid request target %s', async (path) => {
  const { hostname, port } = new URL((await (await startApp())('/healthz')).url);
  const sent = httpRequest({ hostname, port, path }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(404);
  const request_id = response.headers['x-request-id'];
  expect(request_id).toMatch(REQUEST_ID);
  expect(await json(response)).toEqual({ error: 'Not found', code: 'route_not_found', request_id });
});

test.each(['/healthz', '/api/v1/track/click'])('returns 400 for two Host headers on %s', async (path) => {
  const { hostname, port } = new URL((await (await startApp())('/healthz')).url);
  const socket = connect(Number(port), hostname);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\ncontent-length: 2\r\n\r\n{}`);
  const response = await text(socket);
  expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(response).toMatch(/\r\nconnection: close\r\n/i);
  const body: unknown = JSON.parse(response.slice(response.indexOf('\r\n\r\n')));
  expect(body).toMatchObject({ code: 'malformed_request', request_id: expect.stringMatching(REQUEST_ID) });
});
