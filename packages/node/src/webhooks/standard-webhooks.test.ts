import { createHmac } from 'node:crypto';
import type { WebhookEvent as ProtocolEvent } from '@affkit/protocol';
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { listen } from '../../../core/test/support/listen.ts';
import { rejectionOf } from '../../test/client.ts';
import { AffkitWebhookVerificationError } from './verification-error.ts';
import { type AffkitEvent, Webhooks } from './webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = 'whsec_ZGlmZmVyZW50LXNlY3JldC1vZi0yNC1ieXRlcw==';
const NOW = Date.parse('2026-01-31T12:00:00Z');
const EVENT = {
  type: 'payout.paid',
  timestamp: '2026-01-31T12:00:00.000Z',
  sequence: 42,
  data: { program_id: 1, payout_id: 7, amount_cents: 3000, currency: 'USD' },
};
const BODY = JSON.stringify(EVENT);

const webhooks = new Webhooks({ secret: SECRET, runtime: runtimeAt(NOW) });

function runtimeAt(now: number) {
  return { now: () => now } as NonNullable<ConstructorParameters<typeof Webhooks>[0]>['runtime'] & object;
}

/** Signs with the package `standardwebhooks`, as other senders of Standard Webhooks do. */
function signed(secrets: readonly string[] = [SECRET], at = NOW, body = BODY) {
  return {
    'webhook-id': 'evt_42',
    'webhook-timestamp': String(at / 1_000),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign('evt_42', new Date(at), body))
      .join(' '),
  };
}

async function reasonOf(verify: () => unknown): Promise<unknown> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof AffkitWebhookVerificationError) return error.reason;
    throw error;
  }
}

/** Returns the result of `verify`. Asserts that `verifyAsync` has the same result. */
async function verifyBoth(headers: object, body = BODY, verifier = webhooks): Promise<unknown> {
  const results = [
    await reasonOf(() => verifier.verify(body, headers)),
    await reasonOf(() => verifier.verifyAsync(body, headers)),
  ];
  expect(results[0]).toEqual(results[1]);
  return results[0];
}

describe('webhooks of Affkit', () => {
  test('a webhook is verified by its three headers', async () => {
    expect(await verifyBoth(signed())).toEqual(EVENT);
  });

  test('while the secret is rotated, a webhook is verified if one signature matches one of the secrets', async () => {
    expect(await verifyBoth(signed([OTHER_SECRET, SECRET]))).toEqual(EVENT);
    const both = new Webhooks({ secret: [OTHER_SECRET, SECRET], runtime: runtimeAt(NOW) });
    expect(await verifyBoth(signed(), BODY, both)).toEqual(EVENT);
  });

  test.each([
    ['another body', signed(), `${BODY} `, 'signature_mismatch'],
    ['another id', { ...signed(), 'webhook-id': 'evt_43' }, BODY, 'signature_mismatch'],
    ['another timestamp', { ...signed(), 'webhook-timestamp': '1769860801' }, BODY, 'signature_mismatch'],
    ['another secret', signed([OTHER_SECRET]), BODY, 'signature_mismatch'],
    ['no id', { ...signed(), 'webhook-id': undefined }, BODY, 'header_missing'],
    ['no signature', { ...signed(), 'webhook-signature': '' }, BODY, 'header_missing'],
    ['two timestamps', { ...signed(), 'webhook-timestamp': ['1', '2'] }, BODY, 'header_malformed'],
    [
      'a timestamp that is not a number',
      { ...signed(), 'webhook-timestamp': '1e9' },
      BODY,
      'header_malformed',
    ],
    ['only an unknown scheme', { ...signed(), 'webhook-signature': 'v1a,abc' }, BODY, 'signature_missing'],
    [
      'a truncated signature',
      { ...signed(), 'webhook-signature': signed()['webhook-signature'].slice(0, -2) },
      BODY,
      'signature_missing',
    ],
    ['a long header', { ...signed(), 'webhook-signature': 'v'.repeat(4097) }, BODY, 'header_too_long'],
    ['an old timestamp', signed([SECRET], NOW - 301_000), BODY, 'timestamp_too_old'],
    ['a timestamp in the future', signed([SECRET], NOW + 301_000), BODY, 'timestamp_in_future'],
    ['a body that is not JSON', signed([SECRET], NOW, 'text'), 'text', 'payload_invalid'],
  ])('a webhook with %s is rejected', async (_name, headers, body, reason) => {
    expect(await verifyBoth(headers, body)).toBe(reason);
  });

  test('rejects signatures in Stripe format, and any signature if the secret is not whsec_<base64>', async () => {
    const headers = { 'stripe-signature': webhooks.sign(BODY) };
    expect(await verifyBoth({ ...signed(), 'webhook-signature': headers['stripe-signature'] })).toBe(
      'signature_missing',
    );
    const verifier = new Webhooks({ secret: 'not-a-standard-secret', runtime: runtimeAt(NOW) });
    expect(await verifyBoth(signed(), BODY, verifier)).toBe('signature_mismatch');
  });

  test.each([['whsec_'], [' whsec_\n'], [['whsec_', SECRET]], [[SECRET, 'whsec_']]])(
    'the secret %j is rejected, because everybody could sign with an empty key',
    async (secret) => {
      const signature = createHmac('sha256', '')
        .update(`evt_42.${NOW / 1_000}.${BODY}`)
        .digest('base64');
      const forged = { ...signed(), 'webhook-signature': `v1,${signature}` };
      const verifier = new Webhooks({ secret, runtime: runtimeAt(NOW) });
      const request = new Request('https://shop.test/hook', { method: 'POST', body: BODY, headers: forged });
      const error = {
        name: 'AffkitConfigurationError',
        code: 'invalid_configuration',
        message: 'webhookSecret must have a key after whsec_: copy the whole secret of the endpoint',
      };
      for (const headers of [forged, signed()]) {
        expect(() => verifier.verify(BODY, headers)).toThrow(expect.objectContaining(error));
        expect(await rejectionOf(verifier.verifyAsync(BODY, headers))).toMatchObject(error);
      }
      expect(await rejectionOf(verifier.fromRequest(request))).toMatchObject(error);
      expect(() => verifier.verify(BODY, webhooks.sign(BODY))).toThrow(error.message);
      expect(() => verifier.sign(BODY)).toThrow(error.message);
    },
  );

  test('fromRequest accepts webhooks in the format of Affkit and in the format of Stripe', async () => {
    const request = new Request('https://shop.test/hook', { method: 'POST', body: BODY, headers: signed() });
    expect(await webhooks.fromRequest(request)).toEqual(EVENT);
    const stripe = { 'stripe-signature': webhooks.sign(BODY) };
    const other = new Request('https://shop.test/hook', { method: 'POST', body: BODY, headers: stripe });
    expect(await webhooks.fromRequest(other)).toEqual(EVENT);
  });

  test('in Express, a webhook is verified, and rejected if its body was changed', async () => {
    const app = express().post('/', express.raw({ type: '*/*' }), async (request, response) => {
      response.json(await reasonOf(() => webhooks.fromRequest(request)));
    });
    const url = await listen(app);
    const send = async (body: string) => {
      const headers = { ...signed(), 'content-type': 'application/json' };
      return (await fetch(url, { method: 'POST', body, headers })).json();
    };
    expect([await send(BODY), await send(`${BODY} `)]).toEqual([EVENT, 'signature_mismatch']);
  });

  test('a check of the field `type` narrows the TypeScript type of `data`', () => {
    const event = webhooks.verify(BODY, signed());
    if (event.type === 'payout.paid') expectTypeOf(event.data.payout_id).toEqualTypeOf<number>();
    expectTypeOf<AffkitEvent['type']>().toEqualTypeOf<ProtocolEvent['type']>();
    const header = webhooks.sign('{}');
    expectTypeOf(webhooks.verify('{}', header)).not.toEqualTypeOf<AffkitEvent>();
  });
});
