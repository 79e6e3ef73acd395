import express from 'express';
import { describe, expect, test, vi } from 'vitest';
import { adapters, CALLBACKS, echo, LIMIT } from '../../test/support/adapters.ts';
import { sendTo } from '../../test/support/listen.ts';
import { createAffkit } from '../create-affkit.ts';
import { sqliteEngine } from '../storage/sqlite.ts';
import { expressAdapter } from './express.ts';
import { fetchAdapter } from './fetch.ts';
import { nodeAdapter } from './node.ts';

const ECHOED = {
  method: 'GET',
  path: '/',
  query: {},
  header: null,
  absent: null,
  host: 'string',
  body: '',
  ip: '203.0.113.7',
  secure: true,
  requestId: 'req_given',
};

/** Returns a body without `Content-Length`. */
function streamOf(...parts: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
}

test('node: adds the configured headers to responses that do not set them', async () => {
  const headers = { 'x-extra': 'yes', 'x-kind': 'extra', 'content-type': 'text/x-extra' };
  const send = await sendTo(nodeAdapter({ handle: echo }, { ...CALLBACKS, basePath: '/base', headers }));
  const response = await send('/base/');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-extra': 'yes',
    'x-kind': 'echo',
  });
  const elsewhere = await send('/elsewhere');
  expect([elsewhere.status, elsewhere.headers.get('x-kind')]).toEqual([404, 'extra']);
});

describe.each(Object.entries(adapters))('%s adapter', (_name, mount) => {
  test('passes the method, path, query, headers, body, and the results of the callbacks to the handler', async () => {
    const send = await mount(echo);
    const response = await send('/api/v1/track/click?a=1&b=%20x', {
      method: 'POST',
      headers: { 'X-Asked': 'yes' },
      body: '{"größe":1}',
    });
    expect({ status: response.status, kind: response.headers.get('x-kind') }).toEqual({
      status: 200,
      kind: 'echo',
    });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      ...ECHOED,
      method: 'POST',
      path: '/api/v1/track/click',
      query: { a: '1', b: ' x' },
      header: 'yes',
      body: '{"größe":1}',
    });
  });

  test('keeps the percent-encoding of the path', async () => {
    const send = await mount(echo);
    expect(await (await send('/a%2Fb/%C3%A9?')).json()).toEqual({ ...ECHOED, path: '/a%2Fb/%C3%A9' });
  });

  test.each(['/affiliates', '/affiliates/'])('handles the paths below the mount point %s', async (base) => {
    const send = await mount(echo, base);
    expect(await (await send('/affiliates/api/x?q=1')).json()).toEqual({
      ...ECHOED,
      path: '/api/x',
      query: { q: '1' },
    });
    expect(await (await send('/affiliates?q=1')).json()).toEqual({ ...ECHOED, query: { q: '1' } });
  });

  test.each([
    ['/', '/'],
    ['/affiliates', '/affiliates'],
  ])('names the mount point %s as the server URL in the OpenAPI document', async (base, url) => {
    const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: 's'.repeat(32) });
    const send = await mount(affkit.handle, base);
    const document: unknown = await (await send(`${base.replace(/\/$/, '')}/api/openapi.json`)).json();
    expect(document).toMatchObject({ servers: [{ url }] });
    await affkit.close();
  });

  test('does not handle paths outside of its mount point', async () => {
    const send = await mount(echo, '/affiliates');
    expect((await send('/affiliatesx')).status).toBe(404);
    expect((await send('/')).status).toBe(404);
  });

  test('returns 404 with an error body for an unknown path', async () => {
    const send = await mount(async () => null);
    const response = await send('/elsewhere');
    expect(response.status).toBe(404);
    expect(response.headers.get('x-request-id')).toBe('req_given');
    expect(await response.json()).toEqual({
      error: 'Not found',
      code: 'route_not_found',
      request_id: 'req_given',
    });
  });

  test('accepts a body of exactly the limit and rejects one more byte', async () => {
    const send = await mount(echo);
    expect((await send('/', { method: 'POST', body: 'x'.repeat(LIMIT) })).status).toBe(200);
    expect((await send('/', { method: 'POST', body: 'x'.repeat(LIMIT + 1) })).status).toBe(413);
  });

  test('applies the limit to a body that arrives in chunks', async () => {
    const send = await mount(echo);
    const fits = await send('/', { method: 'POST', body: streamOf('ab', 'cd', 'ef'), duplex: 'half' });
    expect(await fits.json()).toEqual({ ...ECHOED, method: 'POST', body: 'abcdef' });
    const half = 'x'.repeat(LIMIT / 2);
    const tooLarge = await send('/', { method: 'POST', body: streamOf(half, half, 'x'), duplex: 'half' });
    expect(tooLarge.status).toBe(413);
  });

  test('stops reading a body when the handler aborts, and rejects the read with the abort reason', async () => {
    const controller = new AbortController();
    const send = await mount(async (request) => {
      const onProgress = (bytes: number) => controller.abort(`stopped after ${bytes}`);
      const reason: unknown = await request
        .body(LIMIT, { signal: controller.signal, onProgress })
        .catch((error: unknown) => error);
      return { status: 503, headers: {}, body: { reason } };
    });
    const endless = new ReadableStream({ start: (source) => source.enqueue(new Uint8Array(4)) });
    const response = await send('/', { method: 'POST', body: endless, duplex: 'half' });
    expect([response.status, await response.json()]).toEqual([503, { reason: 'stopped after 4' }]);
  });

  test('sends a text body unchanged, with the content type of the response', async () => {
    const headers = { 'content-type': 'text/csv; charset=utf-8', 'set-cookie': 'a=1; Path=/' };
    const send = await mount(async () => ({ status: 201, headers, body: 'a,b\r\n' }));
    const response = await send('/');
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      201,
      'text/csv; charset=utf-8',
      'a,b\r\n',
    ]);
    expect(response.headers.getSetCookie()).toEqual(['a=1; Path=/']);
  });

  test('sends each cookie in a header of its own', async () => {
    const cookies = ['a=1; Path=/', 'b=2; Expires=Thu, 01 Jan 2026 00:00:00 GMT'];
    const send = await mount(async () => ({ status: 200, headers: {}, cookies, body: {} }));
    expect((await send('/')).headers.getSetCookie()).toEqual(cookies);
  });

  test('sends no body and no content type when the response has no body', async () => {
    const send = await mount(async () => ({ status: 204, headers: { vary: 'Origin' }, body: null }));
    const response = await send('/', { method: 'OPTIONS' });
    expect([response.status, response.headers.get('vary'), await response.text()]).toEqual([
      204,
      'Origin',
      '',
    ]);
    expect(response.headers.get('content-type')).toBeNull();
  });

  test('sends only the headers for HEAD', async () => {
    const send = await mount(echo);
    const response = await send('/', { method: 'HEAD' });
    expect([response.status, response.headers.get('x-kind'), await response.text()]).toEqual([
      200,
      'echo',
      '',
    ]);
  });
});

test('express: passes BodyAlreadyRead to next when a body parser has run first', async () => {
  const app = express();
  app.use(express.json(), expressAdapter({ handle: echo }));
  const onError = vi.fn();
  app.use(((error: Error, _request, response, _next) => {
    onError(error.message);
    response.status(500).end();
  }) satisfies express.ErrorRequestHandler);
  const send = await sendTo(app);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
  expect((await send('/', init)).status).toBe(500);
  expect(onError.mock.calls).toEqual([
    [expect.stringContaining('mount Affkit before body parsers such as express.json()')],
  ]);
});

test('express: other routes work when a body parser has run first', async () => {
  const app = express();
  app.use(
    express.json(),
    expressAdapter({ handle: async () => null }),
    (request: express.Request, response: express.Response) => {
      response.json(request.body);
    },
  );
  const send = await sendTo(app);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
  expect(await (await send('/', init)).json()).toEqual({ a: 1 });
});

test('express: keeps the Vary and Set-Cookie values of other middleware', async () => {
  const app = express();
  app.use((_request, response, next) => {
    response.setHeader('vary', 'Accept-Encoding');
    response.setHeader('set-cookie', 'session=1');
    next();
  });
  const headers = { vary: 'Origin', 'set-cookie': 'click=2' };
  app.use(expressAdapter({ handle: async () => ({ status: 200, headers, body: {} }) }));
  const response = await (await sendTo(app))('/');
  expect(response.headers.get('vary')).toBe('Accept-Encoding, Origin');
  expect(response.headers.getSetCookie()).toEqual(['session=1', 'click=2']);
});

test('node: uses the remote address of the socket by default', async () => {
  const send = await sendTo(nodeAdapter({ handle: echo }));
  expect(await (await send('/')).json()).toEqual({
    ...ECHOED,
    ip: '127.0.0.1',
    secure: false,
    requestId: undefined,
  });
});

test('node: emits a warning when other code has read the body', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const listener = nodeAdapter({
    handle: (request) => echo(request).catch(() => ({ status: 500, headers: {}, body: {} })),
  });
  const send = await sendTo((request, response) => {
    request.resume().on('end', () => listener(request, response));
  });
  expect((await send('/', { method: 'POST', body: 'x' })).status).toBe(500);
  expect(warn.mock.calls).toEqual([[expect.stringContaining('mount Affkit before'), 'BodyAlreadyRead']]);
  warn.mockRestore();
});

test('fetch: rejects when other code has read the body', async () => {
  const request = new Request('http://shop.example/', { method: 'POST', body: 'x' });
  await request.text();
  const respond = fetchAdapter({
    handle: (message) => echo(message).catch(() => ({ status: 500, headers: {}, body: {} })),
  });
  await expect(respond(request)).rejects.toThrow('mount Affkit before body parsers');
});

test('generates request ids of the same form for handled and unknown paths', async () => {
  const { handle, close } = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 's'.repeat(32),
  });
  const respond = fetchAdapter({ handle });
  for (const path of ['/elsewhere', '/api/auth/me']) {
    const { headers } = await respond(new Request(`https://shop.example${path}`));
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
  await close();
});

test('fetch: passes the additional arguments of the runtime to the ip callback', async () => {
  const respond = fetchAdapter<[{ remote: string }]>(
    { handle: echo },
    { ip: (_request, info) => info.remote },
  );
  const response = await respond(new Request('https://shop.example/x'), { remote: '198.51.100.4' });
  expect(await response.json()).toEqual({
    ...ECHOED,
    path: '/x',
    ip: '198.51.100.4',
    requestId: undefined,
  });
});

test.each([
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:50123', '203.0.113.9'],
  ['[2001:db8::9]:50123', '2001:db8::9'],
  ['2001:db8::9', '2001:db8::9'],
])('normalizes the IP address %s', async (given, ip) => {
  const send = await sendTo(nodeAdapter({ handle: echo }, { ip: () => given }));
  expect(await (await send('/')).json()).toMatchObject({ ip });
  const respond = fetchAdapter({ handle: echo }, { ip: () => given });
  expect(await (await respond(new Request('http://shop.example/'))).json()).toMatchObject({ ip });
});
