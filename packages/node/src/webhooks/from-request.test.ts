import { EventEmitter } from 'node:events';
import { request as httpRequest, type RequestListener } from 'node:http';
import express from 'express';
import { describe, expect, test, vi } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import { manualClock } from '../../test/manual-clock.ts';
import type { FetchRequestLike, NodeRequestLike } from './raw-request.ts';
import { AffkitWebhookVerificationError } from './verification-error.ts';
import { type FromRequestOptions, Webhooks } from './webhooks.ts';

const webhooks = new Webhooks({ secret: 'whsec_test', runtime: manualClock() });
// Parsing and serializing this text would not reproduce its spaces.
const BODY = '{ "b": 1,  "a": "ü" }';
const EVENT = { b: 1, a: 'ü' };
const SIGNED = { 'stripe-signature': webhooks.sign(BODY), 'content-type': 'application/json' };

/** Returns the verified event, or the reason for the rejection. */
async function verifyRequest(
  request: FetchRequestLike | NodeRequestLike,
  options?: FromRequestOptions,
  verifier = webhooks,
): Promise<unknown> {
  try {
    return await verifier.fromRequest(request, options);
  } catch (error) {
    if (error instanceof AffkitWebhookVerificationError) return error.reason;
    throw error;
  }
}

async function deliver(url: string, body: BodyInit = BODY): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers: SIGNED, body });
  return response.json();
}

/**
 * Sends the headers and only the first byte of the body. Returns the result of `fromRequest`, and how many
 * bytes of the body it read.
 */
async function startUpload(headers: Record<string, string>, verifier = webhooks) {
  const { promise, resolve, reject } = Promise.withResolvers<{ result: unknown; bytesRead: number }>();
  const url = await listen((request) => {
    let bytesRead = 0;
    const { on } = request;
    request.on = (event, listener) => {
      if (event === 'data') {
        on.call(request, 'data', (chunk: Buffer) => {
          bytesRead += chunk.byteLength;
        });
      }
      return on.call(request, event, listener);
    };
    verifyRequest(request, {}, verifier).then((result) => resolve({ result, bytesRead }), reject);
  });
  const sending = httpRequest(url, { method: 'POST', headers });
  sending.on('error', () => {});
  sending.write('{');
  return promise.finally(() => sending.destroy());
}

const respond: RequestListener = async (request, response) => {
  response.end(JSON.stringify(await verifyRequest(request)));
};

describe('requests of node:http', () => {
  test('a request is read and verified', async () => {
    expect(await deliver(await listen(respond))).toEqual(EVENT);
  });

  test('a request that was already read is rejected', async () => {
    const url = await listen(async (request, response) => {
      for await (const chunk of request) expect(chunk).toBeInstanceOf(Buffer);
      await respond(request, response);
    });
    expect(await deliver(url)).toBe('body_already_parsed');
  });

  test('a request without a body is rejected', async () => {
    expect(await deliver(await listen(respond), '')).toBe('body_missing');
  });

  test('a request of more than 1 MiB is rejected, and the handler can still respond', async () => {
    const url = await listen(respond);
    expect(await deliver(url, ' '.repeat(1024 * 1024 + 1))).toBe('body_too_large');
    expect(await deliver(url, ' '.repeat(1024 * 1024))).toBe('signature_mismatch');
  });

  test('a request whose connection breaks in the middle of the body is rejected', async () => {
    const result = await new Promise<unknown>((resolve, reject) => {
      listen((request) => resolve(verifyRequest(request))).then((url) => {
        const sending = httpRequest(url, { method: 'POST', headers: { ...SIGNED, 'content-length': '100' } });
        sending.on('error', () => {});
        sending.write(BODY, () => setImmediate(() => sending.destroy()));
      }, reject);
    });
    expect(result).toBe('body_incomplete');
  });

  test('a request whose connection broke before fromRequest was called is rejected', async () => {
    const result = await new Promise<unknown>((resolve, reject) => {
      listen((request) => request.on('close', () => resolve(verifyRequest(request)))).then((url) => {
        const sending = httpRequest(url, { method: 'POST', headers: { ...SIGNED, 'content-length': '100' } });
        sending.on('error', () => {});
        sending.write(BODY, () => setImmediate(() => sending.destroy()));
      }, reject);
    });
    expect(result).toBe('body_incomplete');
  });

  test.each([undefined, '', 'nonsense', 't=1', `t=1,v1=${'0'.repeat(63)}`, 'x'.repeat(4097)])(
    'a request with the signature header %j is rejected before its body has arrived',
    async (header) => {
      const { result, bytesRead } = await startUpload(
        header === undefined ? {} : { 'stripe-signature': header },
      );
      expect(result).toMatch(/^(header|signature)_/);
      expect(bytesRead).toBe(0);
    },
  );

  test('a request with a content-length above 1 MiB is rejected before its body has arrived', async () => {
    const { result, bytesRead } = await startUpload({ ...SIGNED, 'content-length': '1048577' });
    expect([result, bytesRead]).toEqual(['body_too_large', 0]);
  });

  test('if no secret is configured, a request is rejected before its body has arrived', async () => {
    await expect(startUpload(SIGNED, new Webhooks())).rejects.toThrow('webhookSecret is required');
  });

  test('a body that arrives in many tiny chunks needs little more memory than its bytes', async () => {
    const stream = Object.assign(new EventEmitter(), { headers: SIGNED });
    const result = verifyRequest(stream);
    await vi.waitUntil(() => stream.listenerCount('data') > 0, { timeout: 20_000 });
    const before = process.memoryUsage();
    for (let sent = 0; sent < 500_000; sent++) stream.emit('data', Buffer.of(32));
    const after = process.memoryUsage();
    stream.emit('end');
    expect(await result).toBe('signature_mismatch');
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    expect(grown).toBeLessThan(64 * 1024 * 1024);
  });

  test('a signature in another header is verified if the option header names it', async () => {
    const url = await listen(async (request, response) => {
      const custom = Object.assign(request, {
        headers: { 'x-signature': request.headers['stripe-signature'] },
      });
      response.end(JSON.stringify([await verifyRequest(custom, { header: 'X-Signature' })]));
    });
    expect(await deliver(url)).toEqual([EVENT]);
  });
});

describe('requests of Express', () => {
  const app = (...before: express.RequestHandler[]) => listen(express().post('/', ...before, respond));

  test.each<[string, express.RequestHandler[]]>([
    ['no parser', []],
    ['express.raw()', [express.raw({ type: '*/*' })]],
    ['express.text()', [express.text({ type: '*/*' })]],
    ['a parser for another content type', [express.json({ type: 'text/csv' })]],
    [
      'a middleware that sets an empty object as body',
      [
        (request, _response, next) => {
          request.body = {};
          next();
        },
      ],
    ],
    [
      'a parser that also stores the raw bytes',
      [express.json({ verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }) })],
    ],
  ])('an Express app with %s verifies a request', async (_name, before) => {
    expect(await deliver(await app(...before))).toEqual(EVENT);
  });

  test('a request that express.json() has parsed is rejected with advice', async () => {
    let message = '';
    const url = await listen(
      express().post('/', express.json(), async (request, response) => {
        const error: unknown = await webhooks.fromRequest(request).catch((thrown: unknown) => thrown);
        if (error instanceof AffkitWebhookVerificationError) message = error.message;
        response.json(error);
      }),
    );
    expect(await deliver(url)).toMatchObject({ reason: 'body_already_parsed' });
    expect(message).toContain("express.raw({ type: '*/*' })");
  });

  test('a request that is not a stream, as in Fastify, is verified only if it contains the raw bytes', async () => {
    const fastifyRequest = (body: object): NodeRequestLike => ({ headers: SIGNED, ...body });
    expect(await verifyRequest(fastifyRequest({ body: { id: 'evt_1' } }))).toBe('body_already_parsed');
    expect(await verifyRequest(fastifyRequest({ body: Buffer.from(BODY) }))).toEqual(EVENT);
    expect(
      await verifyRequest(fastifyRequest({ body: { id: 'evt_1' }, rawBody: Buffer.from(BODY) })),
    ).toEqual(EVENT);
  });
});

describe('fetch requests', () => {
  const incoming = (body: BodyInit, headers: Record<string, string> = SIGNED) =>
    new Request('https://shop.test/hook', { method: 'POST', body, headers });

  test('a request is read and verified', async () => {
    expect(await verifyRequest(incoming(BODY))).toEqual(EVENT);
  });

  test('a request that was already read is rejected', async () => {
    const request = incoming(BODY);
    await request.json();
    expect(await verifyRequest(request)).toBe('body_already_parsed');
  });

  test('a request with a content-length or a body above 1 MiB is rejected', async () => {
    expect(await verifyRequest(incoming(BODY, { ...SIGNED, 'content-length': '1048577' }))).toBe(
      'body_too_large',
    );
    expect(await verifyRequest(incoming(new Uint8Array(1024 * 1024 + 1)))).toBe('body_too_large');
  });

  test('a request whose body stream fails is rejected', async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('gone')),
    });
    const init = { method: 'POST', body: stream, headers: SIGNED, duplex: 'half' };
    expect(await verifyRequest(new Request('https://shop.test/hook', init))).toBe('body_incomplete');
  });

  /** Returns a request with a body of 8 MiB, and the number of bytes that were read from it. */
  function upload(headers: Record<string, string>) {
    const state = { bytesRead: 0, isCancelled: false };
    const chunk = new Uint8Array(64 * 1024);
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          state.bytesRead += chunk.byteLength;
          controller.enqueue(chunk);
          if (state.bytesRead === 8 * 1024 * 1024) controller.close();
        },
        cancel() {
          state.isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const init = { method: 'POST', body, headers, duplex: 'half' };
    return { request: new Request('https://shop.test/hook', init), state };
  }

  test.each([
    [{}, 'header_missing'],
    [{ 'stripe-signature': 'nonsense' }, 'header_malformed'],
    [{ 'stripe-signature': 't=1,v1=00' }, 'signature_missing'],
    [{ 'stripe-signature': 'x'.repeat(4097) }, 'header_too_long'],
  ])('a request with the headers %j is rejected before its body is read', async (headers, reason) => {
    const { request, state } = upload(headers);
    expect(await verifyRequest(request)).toBe(reason);
    expect(state.bytesRead).toBe(0);
    expect(request.bodyUsed).toBe(false);
  });

  test('reading a body that is too large stops after 1 MiB and cancels the stream', async () => {
    const { request, state } = upload(SIGNED);
    const error: unknown = await webhooks.fromRequest(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      reason: 'body_too_large',
      message: expect.stringContaining('1048576 bytes'),
    });
    expect(state.isCancelled).toBe(true);
    expect(state.bytesRead).toBeLessThan(1024 * 1024 + 3 * 64 * 1024);
  });

  test('a body of exactly 1 MiB is read', async () => {
    expect(await verifyRequest(incoming(new Uint8Array(1024 * 1024)))).toBe('signature_mismatch');
  });

  test('a request without a body is rejected', async () => {
    const request = new Request('https://shop.test/hook', { method: 'POST', headers: SIGNED });
    expect(await verifyRequest(request)).toBe('body_missing');
  });

  test('a request whose body is locked by another reader is rejected', async () => {
    const request = incoming(BODY);
    request.body?.getReader();
    expect(await verifyRequest(request)).toBe('body_already_parsed');
  });

  test('a request with a body in several chunks is verified', async () => {
    const bytes = new TextEncoder().encode(BODY);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const init = { method: 'POST', body, headers: SIGNED, duplex: 'half' };
    expect(await verifyRequest(new Request('https://shop.test/hook', init))).toEqual(EVENT);
  });
});
