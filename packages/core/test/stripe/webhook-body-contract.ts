import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HttpReply } from '../../src/http/message.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { event } from '../support/stripe-events.ts';
import { makeWebhookWorld, sign, WEBHOOK_SECRET, type WebhookWorld } from '../support/webhook-world.ts';
import { START } from '../support/world.ts';

const MEBIBYTE = 1024 * 1024;
const INVALID = { status: 400, body: { code: 'webhook_signature_invalid' } };
const EVENT = JSON.stringify(event('customer.created', { id: 'cus_1' }));

/** Tests how much of an unverified webhook body is read, on every engine. */
export function webhookBodyContract(kind: string, open: OpenEngine): void {
  describe(`a webhook body on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterEach(() => world.affkit.close());

    const send = (
      headers: Readonly<Record<string, string>>,
      body: (limit: number) => Promise<Uint8Array | 'too_large'>,
    ): Promise<HttpReply | null> =>
      world.affkit.handle({
        method: 'POST',
        path: world.connection.path,
        query: new URLSearchParams(),
        header: (name) => headers[name],
        body,
        ip: '203.0.113.7',
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
      const reply = await send(header === undefined ? {} : { 'stripe-signature': header }, async () => {
        reads += 1;
        return new TextEncoder().encode(EVENT);
      });
      expect(reply).toMatchObject(INVALID);
      expect(reads).toBe(0);
    });

    test.each<[string, Record<string, string>]>([
      ['with a content-length', { 'content-length': String(MEBIBYTE) }],
      ['without a content-length', {}],
    ])('gets a 503 when 32 MiB of large bodies %s are in flight, unless it is small', async (_, length) => {
      const large = { ...length, 'stripe-signature': right() };
      const arrival = Promise.withResolvers<Uint8Array>();
      const started: Promise<void>[] = [];
      const inFlight = Array.from({ length: 32 }, () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        started.push(promise);
        return send(large, () => {
          resolve();
          return arrival.promise;
        });
      });
      await Promise.all(started);
      const wholeBody = async () => new TextEncoder().encode(EVENT);
      const small = { 'content-length': String(EVENT.length), 'stripe-signature': right() };
      expect(await send(large, wholeBody)).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { code: 'unavailable' },
      });
      expect(await send(small, wholeBody)).toMatchObject({ status: 200 });

      arrival.resolve(new TextEncoder().encode('something else'));
      for (const reply of await Promise.all(inFlight)) expect(reply).toMatchObject(INVALID);
      expect(await send(large, wholeBody)).toMatchObject({ status: 200 });
    });

    test('is read only up to the size that was reserved for it', async () => {
      const limits: number[] = [];
      for (const length of ['1000', '70000', '9999999', 'x']) {
        const reply = await send({ 'content-length': length, 'stripe-signature': right() }, async (limit) => {
          limits.push(limit);
          return 'too_large';
        });
        expect(reply).toMatchObject({ status: 413 });
      }
      expect(limits).toEqual([64 * 1024, 70_000, MEBIBYTE, MEBIBYTE]);
    });
  });
}
