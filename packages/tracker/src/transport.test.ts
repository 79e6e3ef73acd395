import { expect, it, vi } from 'vitest';
import { isFinal, post, type TransportWindow } from './transport.ts';

const windowWith = (fetch: TransportWindow['fetch']): TransportWindow => ({ fetch, AbortSignal });

it('reads status, body and Retry-After', async () => {
  const fetch = async () =>
    Response.json({ error: 'busy' }, { status: 503, headers: { 'Retry-After': '7' } });
  expect(await post(windowWith(fetch), '/x', {})).toEqual({
    status: 503,
    body: { error: 'busy' },
    retryAfterMs: 7_000,
  });
});

it('keeps the request alive beyond the page, but for a large one', async () => {
  const fetch = vi.fn(async (_url: unknown, _init?: RequestInit) => Response.json({}));
  await post(windowWith(fetch), '/x', { a: 1 });
  await post(windowWith(fetch), '/x', { a: 'x'.repeat(50_000) });
  expect(fetch.mock.calls.map(([, init]) => init?.keepalive)).toEqual([true, false]);
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"a":1}', credentials: 'include' });
  expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty('headers');
});

it('takes an unreadable success and a failed request as no answer', async () => {
  const nothing = { status: 0, body: {}, retryAfterMs: 0 };
  expect(
    await post(
      windowWith(async () => new Response('<html>')),
      '/x',
      {},
    ),
  ).toEqual(nothing);
  expect(
    await post(
      windowWith(() => Promise.reject(new TypeError('offline'))),
      '/x',
      {},
    ),
  ).toEqual(nothing);
  expect(
    await post(
      windowWith(() => {
        throw new Error('replaced by the page');
      }),
      '/x',
      {},
    ),
  ).toEqual(nothing);
});

it('keeps the status of a refusal without JSON', async () => {
  const reply = await post(
    windowWith(async () => new Response('<html>', { status: 403 })),
    '/x',
    {},
  );
  expect(reply).toMatchObject({ status: 403, body: {} });
});

it.each([
  [0, false],
  [200, true],
  [400, true],
  [403, true],
  [408, false],
  [413, true],
  [429, false],
  [500, false],
  [503, false],
])('takes %i as final: %s', (status, expected) => {
  expect(isFinal(status)).toBe(expected);
});
