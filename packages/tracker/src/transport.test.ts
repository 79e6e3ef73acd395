import { afterEach, expect, it, vi } from 'vitest';
import { post } from './transport.ts';

/** Sends a POST request with a stubbed `fetch`. */
function postTo(fetch: typeof globalThis.fetch, body: object = {}) {
  vi.stubGlobal('fetch', fetch);
  return post('/x', body);
}

afterEach(() => vi.unstubAllGlobals());

it('reads status, fields of the body and Retry-After', async () => {
  const fetch = async () =>
    Response.json({ error: 'busy' }, { status: 503, headers: { 'Retry-After': '7' } });
  expect(await postTo(fetch)).toEqual({
    status: 503,
    error: 'busy',
    waitMs: 7_000,
  });
});

it('uses keepalive unless the request is large', async () => {
  const fetch = vi.fn(async (_url: unknown, _init?: RequestInit) => Response.json({}));
  await postTo(fetch, { a: 1 });
  await postTo(fetch, { a: 'x'.repeat(50_000) });
  expect(fetch.mock.calls.map(([, init]) => init?.keepalive)).toEqual([true, false]);
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"a":1}', credentials: 'include' });
  expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty('headers');
});

it('returns status 0 if the body of a successful response is not JSON, or if the request fails', async () => {
  const nothing = { status: 0, waitMs: 0 };
  expect(await postTo(async () => new Response('<html>'))).toEqual(nothing);
  expect(await postTo(() => Promise.reject(new TypeError('offline')))).toEqual(nothing);
  expect(
    await postTo(() => {
      throw new Error('replaced by the page');
    }),
  ).toEqual(nothing);
});

it('returns the status of an error without JSON', async () => {
  const reply = await postTo(async () => new Response('<html>', { status: 403 }));
  expect(reply).toEqual({ status: 403, waitMs: 0 });
});
