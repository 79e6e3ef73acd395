import { expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES, readResponseBody } from './response-body.ts';

const head = { status: 200, headers: new Headers() };

test('decodes a character whose bytes arrive in separate chunks', async () => {
  const bytes = new TextEncoder().encode('{"reason":"für später"}');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect(await readResponseBody(new Response(body))).toBe('{"reason":"für später"}');
});

test.each([
  [MAX_RESPONSE_BYTES, true],
  [MAX_RESPONSE_BYTES + 1, false],
])('a response of %i bytes is read: %s', async (length, isRead) => {
  const text = ' '.repeat(length);
  const expected = isRead ? text : undefined;
  expect((await readResponseBody(new Response(text))) === expected).toBe(true);
  // The response of a custom transport may have no stream.
  expect((await readResponseBody({ ...head, text: async () => text })) === expected).toBe(true);
});
