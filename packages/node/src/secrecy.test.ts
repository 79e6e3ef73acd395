import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { makeClient, rejectionOf, SALE, TOKEN } from '../test/client.ts';
import { RECORDED } from '../test/replies.ts';
import { AffkitError } from './errors.ts';
import type { Transport } from './transport.ts';

/** Returns all text that printing a value can reveal, including its non-enumerable fields. */
function shown(value: unknown): string {
  const texts = [
    inspect(value, { depth: 20, showHidden: true, getters: true }),
    JSON.stringify(value),
    String(value),
  ];
  if (value instanceof Error) texts.push(value.stack ?? '', shown(value.cause ?? ''));
  return texts.join('\n');
}

const replying =
  (status: number, body: string, headers: Record<string, string> = {}): Transport =>
  async () =>
    new Response(body, { status, headers });

const failing =
  (makeError: (headers: Readonly<Record<string, string>>) => unknown): Transport =>
  ({ headers }) => {
    throw makeError(headers);
  };

/** Attaches the whole request to the error and its cause, as some HTTP clients do. */
const leakyTransport = failing((headers) =>
  Object.assign(new Error(`request with ${headers['authorization']} failed`), {
    code: 'ECONNREFUSED',
    config: { headers },
    cause: Object.assign(new TypeError(`"${headers['authorization']}" is an invalid header value`), {
      headers,
    }),
  }),
);

describe('token', () => {
  test('the client does not reveal the token', () => {
    const { affkit } = makeClient();
    expect(shown(affkit)).not.toContain(TOKEN);
    expect(shown({ ...affkit })).not.toContain(TOKEN);
  });

  test.each<[string, Transport]>([
    ['a transport error with the request attached', leakyTransport],
    ['a thrown string', failing((headers) => `no route for ${headers['authorization']}`)],
    [
      'a reply that repeats the token in its error',
      replying(400, JSON.stringify({ error: `bad ${TOKEN}`, code: `x_${TOKEN}` })),
    ],
    ['a reply that repeats the token in its request id', replying(401, '', { 'x-request-id': TOKEN })],
    [
      'a redirect that repeats the token in its location',
      replying(307, '', { location: `https://evil.test/${TOKEN}?${TOKEN}` }),
    ],
    // The error shows only the first 120 characters of a page. Here, they end inside the token. No part of the token
    // may remain.
    [
      'a page that repeats the token',
      replying(200, `${'x'.repeat(110)}${TOKEN}`, { 'content-type': `text/${TOKEN}` }),
    ],
    [
      'a 200 with success: false that repeats the token',
      replying(200, JSON.stringify({ success: false, message: TOKEN })),
    ],
  ])('neither the error nor the log contains the token after %s', async (_name, transport) => {
    const { affkit, logged } = makeClient({ transport, logLevel: 'debug' });
    const error = await rejectionOf(affkit.sale(SALE));
    expect(error).toBeInstanceOf(AffkitError);
    expect(shown(error)).not.toContain(TOKEN.slice(0, 8));
    expect(logged).not.toEqual([]);
    expect(shown(logged)).not.toContain(TOKEN.slice(0, 8));
  });

  test('a result does not contain the token', async () => {
    const echo = JSON.stringify({ ...RECORDED.sale, reason: TOKEN, request_id: TOKEN });
    const { affkit } = makeClient({ transport: replying(200, echo) });
    const result = await affkit.sale(SALE);
    expect(result.status).toBe('recorded');
    expect(shown(result)).not.toContain(TOKEN);
  });
});

test('the cause of a connection error keeps messages and codes of the transport error, without the token', async () => {
  const { affkit } = makeClient({ transport: leakyTransport });
  expect(await rejectionOf(affkit.sale(SALE, { maxRetries: 0 }))).toMatchObject({
    name: 'AffkitConnectionError',
    code: 'connection_failed',
    message:
      'The sale got no response after 1 attempt (ECONNREFUSED). The server may or may not have recorded it. You can safely send it again',
    cause: {
      message: 'request with Bearer [token] failed',
      code: 'ECONNREFUSED',
      cause: { name: 'TypeError', message: '"Bearer [token]" is an invalid header value' },
    },
  });
});

test('toJSON returns the fields for structured logs', async () => {
  const transport = replying(
    404,
    '{"error":"Sale not found for transaction_id","code":"sale_not_found","request_id":"r-1"}',
  );
  const error = await rejectionOf(makeClient({ transport }).affkit.refund({ transaction_id: 'a' }));
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'AffkitNotFoundError',
    code: 'sale_not_found',
    message: 'The refund failed (404 sale_not_found): Sale not found for transaction_id',
    status: 404,
    requestId: 'r-1',
    attempts: 1,
    retryable: false,
  });
});
