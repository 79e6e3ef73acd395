import { expect, test, vi } from 'vitest';
import { fetchAdapter } from './fetch.ts';

const LIMIT = 64;

const readBody = fetchAdapter({
  handle: async (request) => ({
    status: (await request.body(LIMIT)) === 'too_large' ? 413 : 200,
    headers: {},
    body: {},
  }),
});

test("returns 413 when the framework aborts a body that exceeds the framework's own limit", async () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(Object.assign(new Error('Payload Too Large'), { status: 413 })),
  });
  const init = { method: 'POST', body, duplex: 'half' };
  expect((await readBody(new Request('http://127.0.0.1/', init))).status).toBe(413);
});

test('returns 413 for an endless body and cancels it', async () => {
  const stop = vi.fn();
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(LIMIT)),
    cancel: stop,
  });
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: endless, duplex: 'half' };
  const request = new Request('http://shop.example/', init);
  expect((await readBody(request)).status).toBe(413);
  expect(stop).toHaveBeenCalledOnce();
});
