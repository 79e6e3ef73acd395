import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import { describe, expect, test, vi } from 'vitest';
import { type Send, sendTo } from '../../test/support/listen.ts';
import { createAffkit } from '../create-affkit.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { sqliteEngine } from '../storage/sqlite.ts';
import { expressAdapter } from './express.ts';
import { fetchAdapter } from './fetch.ts';
import { nodeAdapter } from './node.ts';

type Handle = (request: HttpRequest) => Promise<HttpReply | null>;

const FACTS = { ip: () => '203.0.113.7', secure: () => true, requestId: () => 'req_given' };

/** Each adapter, mounted at the root or below `base`, with what the embedding app says set to the same. */
const adapters: Record<string, (handle: Handle, base?: string) => Promise<Send>> = {
  express: (handle, base = '/') => {
    const app = express().set('trust proxy', 1);
    app.use((request, _response, next) => {
      request.headers['x-forwarded-for'] = '203.0.113.7';
      request.headers['x-forwarded-proto'] = 'https';
      next();
    });
    app.use(base, expressAdapter({ handle }, { requestId: () => 'req_given' }));
    app.use((_request, response) => {
      const body = { error: 'Not found', code: 'route_not_found', request_id: 'req_given' };
      response.status(404).set('x-request-id', 'req_given').json(body);
    });
    return sendTo(app);
  },
  node: (handle, base = '') => sendTo(nodeAdapter({ handle }, { ...FACTS, basePath: base })),
  fetch: async (handle, base = '') => {
    const answer = fetchAdapter({ handle }, { ...FACTS, basePath: base });
    return (path, init) => answer(new Request(`http://127.0.0.1${path}`, init));
  },
};

const LIMIT = 64;

/** Answers with what it was asked. */
const echo: Handle = async (request) => {
  const body = await request.body(LIMIT);
  if (body === 'too_large') return { status: 413, headers: {}, body: { error: 'too large' } };
  const { method, path, ip, secure, requestId } = request;
  return {
    status: 200,
    headers: { 'x-kind': 'echo' },
    body: {
      method,
      path,
      query: Object.fromEntries(request.query),
      header: request.header('x-asked') ?? null,
      absent: request.header('x-absent') ?? null,
      host: typeof request.header('host'),
      body: new TextDecoder().decode(body),
      ip,
      secure,
      requestId,
    },
  };
};

const ASKED = {
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

/** A body of unknown length: no `Content-Length` gives it away. */
function streamOf(...parts: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
}

test("a listener's further headers are on each reply that has none of the name", async () => {
  const headers = { 'x-further': 'yes', 'x-kind': 'further', 'content-type': 'text/x-further' };
  const send = await sendTo(nodeAdapter({ handle: echo }, { ...FACTS, basePath: '/base', headers }));
  const response = await send('/base/');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-further': 'yes',
    'x-kind': 'echo',
  });
  const elsewhere = await send('/elsewhere');
  expect([elsewhere.status, elsewhere.headers.get('x-kind')]).toEqual([404, 'further']);
});

describe.each(Object.entries(adapters))('%s adapter', (name, mount) => {
  test('hands over method, path, query, headers, body and what the app knows', async () => {
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
      ...ASKED,
      method: 'POST',
      path: '/api/v1/track/click',
      query: { a: '1', b: ' x' },
      header: 'yes',
      body: '{"größe":1}',
    });
  });

  test('keeps the percent-encoding of the path', async () => {
    const send = await mount(echo);
    expect(await (await send('/a%2Fb/%C3%A9?')).json()).toEqual({ ...ASKED, path: '/a%2Fb/%C3%A9' });
  });

  test.each(['/affiliates', '/affiliates/'])('mounted at %s it sees the paths below', async (base) => {
    const send = await mount(echo, base);
    expect(await (await send('/affiliates/api/x?q=1')).json()).toEqual({
      ...ASKED,
      path: '/api/x',
      query: { q: '1' },
    });
    expect(await (await send('/affiliates?q=1')).json()).toEqual({ ...ASKED, query: { q: '1' } });
  });

  test.each([
    ['/', '/'],
    ['/affiliates', '/affiliates'],
  ])('mounted at %s its description of the routes says so', async (base, url) => {
    const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: 's'.repeat(32) });
    const send = await mount(affkit.handle, base);
    const document: unknown = await (await send(`${base.replace(/\/$/, '')}/api/openapi.json`)).json();
    expect(document).toMatchObject({ servers: [{ url }] });
    await affkit.close();
  });

  test('mounted below a path it leaves its neighbours alone', async () => {
    const send = await mount(echo, '/affiliates');
    expect((await send('/affiliatesx')).status).toBe(404);
    expect((await send('/')).status).toBe(404);
  });

  test('a path that is none of its own is a 404 with the error body', async () => {
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

  test('takes a body of exactly the limit and refuses one byte more', async () => {
    const send = await mount(echo);
    expect((await send('/', { method: 'POST', body: 'x'.repeat(LIMIT) })).status).toBe(200);
    expect((await send('/', { method: 'POST', body: 'x'.repeat(LIMIT + 1) })).status).toBe(413);
  });

  test('counts the bytes of a body that comes in parts', async () => {
    const send = await mount(echo);
    const fits = await send('/', { method: 'POST', body: streamOf('ab', 'cd', 'ef'), duplex: 'half' });
    expect(await fits.json()).toEqual({ ...ASKED, method: 'POST', body: 'abcdef' });
    const half = 'x'.repeat(LIMIT / 2);
    const tooLarge = await send('/', { method: 'POST', body: streamOf(half, half, 'x'), duplex: 'half' });
    expect(tooLarge.status).toBe(413);
  });

  test('sends a text as it is, with the type that the reply names', async () => {
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

  test('a reply without body has none', async () => {
    const send = await mount(async () => ({ status: 204, headers: { vary: 'Origin' }, body: null }));
    const response = await send('/', { method: 'OPTIONS' });
    expect([response.status, response.headers.get('vary'), await response.text()]).toEqual([
      204,
      'Origin',
      '',
    ]);
    expect(response.headers.get('content-type')).toBeNull();
  });

  test('HEAD gets the headers alone', async () => {
    const send = await mount(echo);
    const response = await send('/', { method: 'HEAD' });
    expect([response.status, response.headers.get('x-kind'), await response.text()]).toEqual([
      200,
      'echo',
      '',
    ]);
  });

  if (name !== 'fetch') {
    test('a body that never ends is refused before it ends, and the connection is closed', async () => {
      const send = await mount(echo);
      const { url } = await send('/');
      const sent = httpRequest(url, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } });
      sent.on('error', () => {});
      const answered = new Promise<[number | undefined, string | undefined]>((resolve) => {
        sent.on('response', (response) => {
          response.resume();
          resolve([response.statusCode, response.headers.connection]);
        });
      });
      sent.write('x'.repeat(LIMIT + 1));
      expect(await answered).toEqual([413, 'close']);
      sent.destroy();
    });

    test('a client that goes away in mid-body fails that request alone', async () => {
      const outcomes: unknown[] = [];
      let gone: () => void = () => {};
      const hasGone = new Promise<void>((resolve) => {
        gone = resolve;
      });
      const send = await mount(async (request) => {
        if (request.method === 'GET') return echo(request);
        outcomes.push(await request.body(LIMIT).catch((error: Error) => error.name));
        gone();
        return { status: 200, headers: {}, body: {} };
      });
      const { port } = new URL((await send('/')).url);
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf', () => socket.destroy());
      });
      await hasGone;
      expect(outcomes).toEqual(['AbortError']);
      expect((await send('/')).status).toBe(200);
    });
  }
});

test('express: a body parser that ran first is named as the mistake', async () => {
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

test('express: a body parser that ran first is no matter to other routes', async () => {
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

test('express: what other middleware set in Vary and Set-Cookie stays', async () => {
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

test('node: the peer is the visitor unless the app says otherwise', async () => {
  const send = await sendTo(nodeAdapter({ handle: echo }));
  expect(await (await send('/')).json()).toEqual({
    ...ASKED,
    ip: '127.0.0.1',
    secure: false,
    requestId: undefined,
  });
});

test('node: a body that somebody else read is warned of', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const answer = nodeAdapter({
    handle: (request) => echo(request).catch(() => ({ status: 500, headers: {}, body: {} })),
  });
  const send = await sendTo((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  expect((await send('/', { method: 'POST', body: 'x' })).status).toBe(500);
  expect(warn.mock.calls).toEqual([[expect.stringContaining('mount Affkit before'), 'BodyAlreadyRead']]);
  warn.mockRestore();
});

test('fetch: a body that somebody else read is an error that says so', async () => {
  const request = new Request('http://shop.example/', { method: 'POST', body: 'x' });
  await request.text();
  const answer = fetchAdapter({
    handle: (message) => echo(message).catch(() => ({ status: 500, headers: {}, body: {} })),
  });
  await expect(answer(request)).rejects.toThrow('mount Affkit before body parsers');
});

test('a request that nobody named is named in one form, whoever answers', async () => {
  const { handle, close } = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 's'.repeat(32),
  });
  const answer = fetchAdapter({ handle });
  for (const path of ['/elsewhere', '/api/auth/me']) {
    const { headers } = await answer(new Request(`https://shop.example${path}`));
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
  await close();
});

test('fetch: what the runtime passes beside the request can tell the address', async () => {
  const answer = fetchAdapter<[{ remote: string }]>(
    { handle: echo },
    { ip: (_request, info) => info.remote },
  );
  const response = await answer(new Request('https://shop.example/x'), { remote: '198.51.100.4' });
  expect(await response.json()).toEqual({
    ...ASKED,
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
])('an address is given in its own form, without the port that some proxies add: %s', async (given, ip) => {
  const send = await sendTo(nodeAdapter({ handle: echo }, { ip: () => given }));
  expect(await (await send('/')).json()).toMatchObject({ ip });
  const answer = fetchAdapter({ handle: echo }, { ip: () => given });
  expect(await (await answer(new Request('http://shop.example/'))).json()).toMatchObject({ ip });
});

test('fetch: a body that never ends is refused before it ends', async () => {
  const stop = vi.fn();
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(LIMIT)),
    cancel: stop,
  });
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: endless, duplex: 'half' };
  const request = new Request('http://shop.example/', init);
  expect((await fetchAdapter({ handle: echo })(request)).status).toBe(413);
  expect(stop).toHaveBeenCalledOnce();
});
