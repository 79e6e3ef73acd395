import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { rejectionOf } from '../../test/client.ts';
import { affkitError, KEY, makeManagement, pageOf } from '../../test/management-client.ts';
import type { Endpoint, Route } from './endpoint.ts';
import type { AffkitManagement, List, Partner } from './index.ts';
import { PROGRAM_ROUTES } from './program-routes.ts';
import { WORKSPACE_ROUTES } from './workspace-routes.ts';

const item = (data: object, status = 200) => Response.json({ success: true, data }, { status });
const html = (status: number) =>
  new Response('<p>Sign in</p>', { status, headers: { 'content-type': 'text/html' } });
const refusedConnection = () =>
  Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  });

test('the route tables contain every route once, and the client methods have the types of their routes', () => {
  type RoutesOf<Table> = {
    [Name in keyof Table]: {
      [M in keyof Table[Name]]: Table[Name][M] extends Endpoint<infer R> ? R : never;
    }[keyof Table[Name]];
  }[keyof Table];
  type Bound = RoutesOf<typeof PROGRAM_ROUTES> | RoutesOf<typeof WORKSPACE_ROUTES>;
  expectTypeOf<Exclude<Route, Bound>>().toBeNever();
  expectTypeOf<ReturnType<AffkitManagement['partners']['list']>>().toEqualTypeOf<List<Partner>>();
  expectTypeOf<AffkitManagement['partners']['get']>().parameter(0).toBeNumber();
  expectTypeOf<AffkitManagement['programs']['goLive']>().parameter(0).toBeNumber();
  expectTypeOf<AffkitManagement['partners']['create']>().parameter(0).toHaveProperty('email');
  // In TypeScript 5 with the `lib` of Next.js, which lacks `dom.asynciterable`, a ReadableStream is not iterable.
  expectTypeOf<AffkitManagement['partners']['exportCsv']>().returns.resolves.toEqualTypeOf<
    ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>
  >();
  expectTypeOf<AffkitManagement['commissions']['bulk']>().returns.resolves.toHaveProperty('meta');
  const routes = [WORKSPACE_ROUTES, PROGRAM_ROUTES].flatMap((table) =>
    Object.values<Readonly<Record<string, Endpoint>>>(table).flatMap((endpoints) =>
      Object.values(endpoints).map(({ route }) => route),
    ),
  );
  expect(new Set(routes).size).toBe(routes.length);
});

test('requests carry the key, the query and the body', async () => {
  const { client, requests } = makeManagement([
    Response.json(pageOf([])),
    item({ id: 5 }),
    Response.json(pageOf([])),
  ]);
  await client.partners.list({ status: 'approved', q: 'a&b' }).page(2);
  await client.partners.update(5, { status: 'banned' });
  await client.commissions.list({ needs_approval: true, q: undefined }).page();
  await client.commissions.list({ needs_approval: false }).page();
  await client.commissions.approve(7);
  const path = 'https://affkit.test/api-base/api/advertiser/affiliate-programs/3';
  expect(requests).toMatchObject([
    {
      method: 'GET',
      url: `${path}/partners?pageSize=100&status=approved&q=a%26b&page=2`,
      headers: { authorization: `Bearer ${KEY}`, accept: 'application/json' },
      body: '',
    },
    { method: 'PUT', url: `${path}/partners/5`, body: '{"status":"banned"}' },
    { url: `${path}/commissions?pageSize=100&needs_approval=1&page=1` },
    { url: `${path}/commissions?pageSize=100&page=1` },
    // If Affkit runs inside a SvelteKit app, SvelteKit rejects writes without a content type.
    { url: `${path}/commissions/7/approve`, headers: { 'content-type': 'application/json' }, body: '' },
  ]);
  expect(requests[0]?.headers).not.toHaveProperty('content-type');
  expect(inspect(client, { depth: 5 }) + JSON.stringify(client)).not.toContain(KEY);
});

describe('replies that did not come from Affkit', () => {
  const calls = {
    'a row': (client: AffkitManagement) => client.partners.get(1),
    'a page': (client: AffkitManagement) => client.partners.list().page(),
    'a deletion': (client: AffkitManagement) => client.programs.delete(1),
    'an export': (client: AffkitManagement) => client.payouts.exportCsv(),
    'a report': (client: AffkitManagement) => client.reports.performance(),
  };
  const foreign: readonly [what: string, reply: () => Response][] = [
    ['the HTML page of a proxy', () => html(200)],
    ['an empty 200', () => new Response('')],
    ['a 204', () => new Response(null, { status: 204 })],
    ['a 202', () => Response.json({ success: true, data: {} }, { status: 202 })],
    ['an empty object', () => Response.json({})],
    ['a failure with status 200', () => Response.json({ success: false, error: 'Broken' })],
    ['a reply that is cut short', () => new Response('{"success":true,"da')],
    ['a 404 of a proxy', () => html(404)],
    ['a 403 without a code', () => Response.json({ error: 'Forbidden' }, { status: 403 })],
    [
      'a 400 in the format of another framework',
      () => Response.json({ statusCode: 400, error: 'Bad Request', code: 'x' }, { status: 400 }),
    ],
  ];
  test.each(foreign)('after %s, the call is retried and then throws', async (_what, reply) => {
    for (const call of Object.values(calls)) {
      const { client, requests } = makeManagement([reply()], { maxRetries: 1 });
      expect(await rejectionOf(Promise.resolve(call(client)))).toMatchObject({
        name: 'AffkitUnexpectedReplyError',
        code: 'unexpected_reply',
        retryable: true,
      });
      expect(requests).toHaveLength(2);
    }
  });

  test('a reply that contains only success: true is not accepted as data, as a page or as a file', async () => {
    const bare = Response.json({ success: true });
    for (const [what, call] of Object.entries(calls)) {
      const { client } = makeManagement([bare], { maxRetries: 0 });
      const outcome = await Promise.resolve(call(client)).catch(({ name }: Error) => name);
      expect([what, outcome]).toEqual([
        what,
        what === 'a deletion' ? undefined : 'AffkitUnexpectedReplyError',
      ]);
    }
  });

  test('after such a reply, a creation is not retried, because the server may have created the row', async () => {
    const { client, requests } = makeManagement([html(200)]);
    expect(await rejectionOf(client.links.create({ partner_id: 1 }))).toMatchObject({
      name: 'AffkitUnexpectedReplyError',
      retryable: false,
      attempts: 1,
      message:
        'links.create got a reply that did not come from Affkit: status 200, content type text/html, the body "<p>Sign in</p>". Check baseUrl and the proxies in between. The server may or may not have carried out the call. Check before you repeat the call',
    });
    expect(requests).toHaveLength(1);
  });
});

describe('retries', () => {
  const busy = () => affkitError(503, 'unavailable');

  test('after a 503, reads are retried and creations are not', async () => {
    const { client, attempts } = makeManagement([busy(), busy(), item({ id: 1 })]);
    expect(await client.partners.get(1)).toEqual({ id: 1 });
    expect(attempts.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
      'partners.get 503',
      'partners.get 503',
      'partners.get 200',
    ]);
    const once = makeManagement([busy()]);
    await expect(once.client.payouts.create()).rejects.toMatchObject({
      name: 'AffkitServerError',
      retryable: false,
      message: expect.stringContaining('Check before you repeat the call'),
    });
    expect(once.requests).toHaveLength(1);
  });

  test('a creation is retried after a refused connection or a 429, because these changed nothing', async () => {
    const created = item({ id: 1 }, 201);
    const { client, requests } = makeManagement([
      refusedConnection(),
      affkitError(429, 'rate_limited'),
      created,
    ]);
    expect(await client.links.create({ partner_id: 1 })).toEqual({ id: 1 });
    expect(requests).toHaveLength(3);
    const limited = makeManagement([affkitError(429, 'rate_limited')], { maxRetries: 0 });
    await expect(limited.client.payouts.create()).rejects.toMatchObject({
      name: 'AffkitRateLimitError',
      retryable: true,
    });
  });

  test('a deletion succeeds if only its retry gets a 404', async () => {
    const gone = () => affkitError(404, 'not_found');
    const { client } = makeManagement([new TypeError('fetch failed'), gone()]);
    expect(await client.policies.delete(1)).toBeUndefined();
    await expect(makeManagement([gone()]).client.policies.delete(1)).rejects.toThrow(
      'policies.delete failed',
    );
  });

  test('a read is retried if its reply is cut short', async () => {
    const cut = () =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('socket')) }));
    const { client, requests } = makeManagement([cut, Response.json(pageOf([]))]);
    expect(await client.commissions.totals()).toEqual([]);
    expect(requests).toHaveLength(2);
  });

  test('a reply may be longer than the limit for replies of tracking routes', async () => {
    const long = { id: 1, text: 'x'.repeat(2 * 1024 * 1024) };
    expect(await makeManagement([item(long)]).client.partners.get(1)).toEqual(long);
  });
});

test('a bulk call with more rows than the server accepts is split, and returns the results of all rows', async () => {
  const { client, requests } = makeManagement([
    ({ body }) => {
      const { ids } = JSON.parse(body) as { ids: number[] };
      const data = ids.map((id) =>
        id % 100 === 0
          ? { id, ok: false, code: 'not_found', error: 'x' }
          : { id, ok: true, status: 'approved' },
      );
      return Response.json({ success: true, data, meta: { succeeded: 99, failed: 1 } });
    },
  ]);
  const ids = Array.from({ length: 250 }, (_, index) => index + 1);
  const { data, meta } = await client.commissions.bulk({ ids, action: 'approve', idempotency_key: 'review' });
  expect(data.map(({ id }) => id)).toEqual(ids);
  expect(meta).toEqual({ succeeded: 248, failed: 2 });
  expect(requests.map(({ body }) => JSON.parse(body))).toMatchObject([
    { idempotency_key: 'review:1', action: 'approve', ids: { length: 100 } },
    { idempotency_key: 'review:2', ids: { length: 100 } },
    { idempotency_key: 'review:3', ids: { length: 50 } },
  ]);
  await client.commissions.bulk({ ids: [1], action: 'approve', idempotency_key: 'one' });
  expect(JSON.parse(requests[3]?.body ?? '')).toEqual({
    ids: [1],
    action: 'approve',
    idempotency_key: 'one',
  });
});

test('an export that is cut short or aborted ends with an error', async () => {
  const file = () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(new TextEncoder().encode('id\r\n'));
        else controller.error(Object.assign(new Error('socket'), { code: 'ECONNRESET' }));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/csv; charset=utf-8' } });
  };
  const { client } = makeManagement([file, file]);
  const reader = (await client.payouts.exportCsv()).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('id\r\n');
  await expect(reader.read()).rejects.toMatchObject({
    name: 'AffkitConnectionError',
    message: 'payouts.exportCsv ended early (ECONNRESET): the file is incomplete. Export it again',
  });
  const controller = new AbortController();
  const aborted = (await client.payouts.exportCsv({}, { signal: controller.signal })).getReader();
  controller.abort();
  await expect(aborted.read()).rejects.toMatchObject({ name: 'AffkitAbortError' });
});

test('a call throws when its signal is aborted, after timeoutMs, and for an unknown option', async () => {
  const controller = new AbortController();
  const stuck = makeManagement([], { transport: () => new Promise(() => {}) });
  const aborted = rejectionOf(stuck.client.partners.get(1, { signal: controller.signal }));
  controller.abort('no longer needed');
  expect(await aborted).toMatchObject({ name: 'AffkitAbortError', cause: 'no longer needed' });
  const late = rejectionOf(stuck.client.partners.get(1, { timeoutMs: 50, maxRetries: 0 }));
  await Promise.resolve();
  stuck.clock.advance(50);
  expect(await late).toMatchObject({ name: 'AffkitTimeoutError', code: 'timeout' });
  await expect(stuck.client.partners.get(1, { retries: 1 } as never)).rejects.toThrow(
    'Unknown option retries',
  );
});

test('invalid input is rejected before a request is sent', async () => {
  const { client, requests } = makeManagement([], { programId: undefined });
  expect(() => client.partners.list()).toThrow('client.program(id).partners.list');
  await expect(client.payouts.get(1)).rejects.toThrow('payouts.get requires a program');
  await expect(client.programs.get(0)).rejects.toMatchObject({ code: 'invalid_field' });
  await expect(client.programs.get('1' as never)).rejects.toThrow('a positive integer, got 1');
  await expect(client.program(1).links.create('anna' as never)).rejects.toThrow('as an object, got anna');
  await expect(client.program(1).partners.import('')).rejects.toThrow('a CSV file, got an empty string');
  expect(() => client.program(0)).toThrow('programId');
  expect(() => makeManagement([], { apiKey: 'aff_token' })).toThrow('got the tracking token of a program');
  expect(() => makeManagement([], { apiKey: 'a b' })).toThrow('session token, without spaces');
  expect(() => makeManagement([], { token: 'x' } as never)).toThrow('token');
  const late = makeManagement([], { apiKey: async () => 'aff_token' });
  await expect(late.client.programs.get(1)).rejects.toMatchObject({ code: 'invalid_configuration' });
  const noKey = makeManagement([], { apiKey: () => Promise.reject(new Error('vault')) });
  await expect(noKey.client.programs.get(1)).rejects.toThrow('The apiKey function threw an error: vault');
  expect([...requests, ...late.requests, ...noKey.requests]).toEqual([]);
});
