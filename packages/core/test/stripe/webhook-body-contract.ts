import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { nodeAdapter } from '../../src/adapters/node.ts';
import type { HttpReply, HttpRequest } from '../../src/http/message.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { listen } from '../support/listen.ts';
import { event } from '../support/stripe-events.ts';
import { makeWebhookWorld, sign, WEBHOOK_SECRET, type WebhookWorld } from '../support/webhook-world.ts';
import { START } from '../support/world.ts';

const MEBIBYTE = 1024 * 1024;
const INVALID = { status: 400, body: { code: 'webhook_signature_invalid' } };
const EVENT = JSON.stringify(event('customer.created', { id: 'cus_1' }));

export function webhookBodyContract(kind: string, open: OpenEngine): void {
  describe(`a webhook body on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterEach(() => world.affkit.close());

    const send = (
      headers: Readonly<Record<string, string>>,
      ip: string,
      body: HttpRequest['body'],
    ): Promise<HttpReply | null> =>
      world.affkit.handle({
        method: 'POST',
        path: world.connection.path,
        query: new URLSearchParams(),
        header: (name) => headers[name],
        body,
        ip,
        secure: true,
      });
    const right = () => sign(EVENT, WEBHOOK_SECRET, world.clock.now);

    test.each<[string, string | undefined]>([
      ['missing', undefined],
      ['without a time', `v1=${'0'.repeat(64)}`],
      ['without a signature', `t=${START / 1000}`],
      ['too old', sign(EVENT, WEBHOOK_SECRET, START - 301_000)],
      ['too far in the future', sign(EVENT, WEBHOOK_SECRET, START + 301_000)],
    ])('is not read when its signature is %s', async (_, header) => {
      let reads = 0;
      const reply = await send(
        header === undefined ? {} : { 'stripe-signature': header },
        '192.0.2.1',
        async () => {
          reads += 1;
          return new TextEncoder().encode(EVENT);
        },
      );
      expect(reply).toMatchObject(INVALID);
      expect(reads).toBe(0);
    });

    /** Sends a body that never completes. `started` resolves once `bytes` bytes have arrived. */
    const sendIncompleteBody = (bytes: number, ip: string) => {
      const started = Promise.withResolvers<void>();
      const headers = { 'content-length': String(MEBIBYTE), 'stripe-signature': right() };
      const reply = send(headers, ip, (_limit, { signal, onProgress } = {}) => {
        const stopped = Promise.withResolvers<never>();
        signal?.addEventListener('abort', () => stopped.reject(signal.reason));
        if (bytes > 0) onProgress?.(bytes);
        started.resolve();
        return stopped.promise;
      });
      let status: number | undefined;
      reply.then((answered) => {
        status = answered?.status;
      });
      return { started: started.promise, reply, status: () => status };
    };
    const parkMany = async (bytes: number, ips: readonly string[]) => {
      const parked = [];
      for (const ip of ips) {
        const one = sendIncompleteBody(bytes, ip);
        await one.started;
        parked.push(one);
      }
      return parked;
    };
    const sendLarge = (ip: string) => {
      const text = JSON.stringify({
        ...event('customer.created', { id: 'cus_1' }),
        padding: 'x'.repeat(200_000),
      });
      const signature = sign(text, WEBHOOK_SECRET, world.clock.now);
      return send({ 'stripe-signature': signature }, ip, async (_limit, { onProgress } = {}) => {
        onProgress?.(text.length);
        return new TextEncoder().encode(text);
      });
    };
    const networks = (count: number) =>
      Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    const almostAll = MEBIBYTE - 1;

    test('counts only the bytes that have arrived', async () => {
      const parked = await parkMany(0, Array(100).fill('192.0.2.1'));
      expect(await sendLarge('192.0.2.1')).toMatchObject({ status: 200 });
      expect(parked.map(({ status }) => status())).toEqual(parked.map(() => undefined));
    });

    test('is rejected with 503, oldest first, when large bodies of one client exceed 8 MiB in total', async () => {
      const parked = await parkMany(almostAll, Array(10).fill('192.0.2.1'));
      for (const { reply } of parked.slice(0, 2)) {
        expect(await reply).toMatchObject({
          status: 503,
          headers: { 'retry-after': '1' },
          body: { code: 'unavailable' },
        });
      }
      expect(await sendLarge('203.0.113.7')).toMatchObject({ status: 200 });
      expect(parked.map(({ status }) => status())).toEqual([503, 503, ...Array(8).fill(undefined)]);
    });

    test('is rejected with 503, oldest first, when large bodies of all clients exceed 32 MiB in total', async () => {
      const parked = await parkMany(almostAll, networks(40));
      for (const { reply } of parked.slice(0, 8)) expect(await reply).toMatchObject({ status: 503 });
      expect(await sendLarge('203.0.113.7')).toMatchObject({ status: 200 });
      expect(parked.map(({ status }) => status())).toEqual([
        ...Array(9).fill(503),
        ...Array(31).fill(undefined),
      ]);
    });

    test('does not count toward the limits if it has at most 64 KiB', async () => {
      // The bodies have 37 MiB in total. They are sent at the same time, because an incomplete body expires after 10 s.
      const parked = networks(600).map((ip) => sendIncompleteBody(64 * 1024, ip));
      await Promise.all(parked.map(({ started }) => started));
      expect(parked.map(({ status }) => status())).toEqual(parked.map(() => undefined));
    });

    test('is read with a limit of 1 MiB, even if its Content-Length is wrong', async () => {
      for (const length of ['1000', '9999999', 'x']) {
        const headers = { 'content-length': length, 'stripe-signature': right() };
        const reply = await send(headers, '192.0.2.1', async (limit) => {
          expect(limit).toBe(MEBIBYTE);
          return 'too_large';
        });
        expect(reply).toMatchObject({ status: 413 });
      }
    });

    test('is read immediately, although idle connections have announced large bodies', async () => {
      const ip = (request: IncomingMessage) => String(request.headers['x-client']);
      const url = await listen(nodeAdapter(world.affkit, { ip }));
      const promise = (client: string) =>
        `POST ${world.connection.path} HTTP/1.1\r\nhost: x\r\nx-client: ${client}\r\n` +
        `stripe-signature: ${right()}\r\ncontent-length: ${MEBIBYTE}\r\n\r\n{`;
      for (let opened = 0; opened < 80; opened++) {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        onTestFinished(() => void socket.destroy());
        await new Promise<unknown>((sent) => socket.write(promise(`192.0.2.${opened % 40}`), sent));
      }
      const body = JSON.stringify({
        ...event('customer.created', { id: 'cus_1' }),
        padding: 'x'.repeat(500_000),
      });
      const headers = {
        'stripe-signature': sign(body, WEBHOOK_SECRET, world.clock.now),
        'x-client': '203.0.113.7',
      };
      const reply = await fetch(url + world.connection.path, { method: 'POST', headers, body });
      expect(reply.status).toBe(200);
    });
  });
}
