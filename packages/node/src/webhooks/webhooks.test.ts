import fc from 'fast-check';
import Stripe from 'stripe';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { anyCharacter } from '../../../core/test/support/any-character.ts';
import { manualClock } from '../../test/manual-clock.ts';
import { AffkitConfigurationError } from '../errors.ts';
import type { RawBody } from './raw-body.ts';
import { AffkitWebhookVerificationError } from './verification-error.ts';
import { type VerifyOptions, Webhooks } from './webhooks.ts';

const SECRET = 'whsec_present';
const NOW_MS = Date.parse('2026-03-01T12:00:00.900Z');
const NOW = Math.floor(NOW_MS / 1000);
const BODY = '{"id":"evt_1","type":"checkout.session.completed"}';
const webhooks = new Webhooks({ secret: SECRET, runtime: manualClock(NOW_MS) });
const stripe = new Stripe('sk_test_unused');
const good = webhooks.sign(BODY);
const hex = good.slice(good.indexOf('v1=') + 3);

afterEach(() => vi.unstubAllGlobals());

/** Returns the event, or the reason for the rejection. Asserts that `verify` and `verifyAsync` agree. */
async function verifyBoth(body: unknown, header: unknown, options: VerifyOptions = {}): Promise<unknown> {
  const args = [body as RawBody, header as string, options] as const;
  const reasonOf = (error: unknown) => {
    if (error instanceof AffkitWebhookVerificationError) return error.reason;
    throw error;
  };
  let result: unknown;
  try {
    result = webhooks.verify(...args);
  } catch (error) {
    result = reasonOf(error);
  }
  expect(await webhooks.verifyAsync(...args).catch(reasonOf)).toEqual(result);
  return result;
}

const event = JSON.parse(BODY) as unknown;
const at = (timestamp: number, body = BODY) => webhooks.sign(body, { timestamp });

describe('accepted webhooks', () => {
  test('a webhook is verified with the default secret', async () => {
    expect(await verifyBoth(BODY, good)).toEqual(event);
  });

  test('the body may be a string, bytes, a part of a buffer, or an ArrayBuffer', async () => {
    const bytes = new TextEncoder().encode(BODY);
    const padded = new Uint8Array([1, 2, 3, ...bytes, 4]);
    const bodies = [bytes, Buffer.from(BODY), padded.subarray(3, -1), bytes.buffer];
    for (const body of bodies) expect(await verifyBoth(body, good)).toEqual(event);
  });

  test('a webhook is accepted if any of its signatures matches any of the secrets', async () => {
    const secrets = ['whsec_next', SECRET];
    expect(await verifyBoth(BODY, good, { secret: secrets })).toEqual(event);
    const other = '0'.repeat(64);
    const header = `t=${NOW},v0=abc,v1=${other},v1=short,v1=${hex},v1=${other}`;
    expect(await verifyBoth(BODY, header, { secret: secrets })).toEqual(event);
  });

  test('a timestamp exactly at the limit of the tolerance is accepted, in the past and in the future', async () => {
    expect(await verifyBoth(BODY, at(NOW - 300))).toEqual(event);
    expect(await verifyBoth(BODY, at(NOW + 300))).toEqual(event);
    expect(await verifyBoth(BODY, at(NOW), { toleranceSeconds: 0 })).toEqual(event);
    expect(await verifyBoth(BODY, at(NOW - 1_000_000), { toleranceSeconds: Infinity })).toEqual(event);
  });

  test('the header value may be in an array of one element', async () => {
    expect(await verifyBoth(BODY, [good])).toEqual(event);
  });
});

describe('rejected webhooks', () => {
  test.each<[string, unknown, unknown, VerifyOptions?]>([
    ['body_missing', '', good],
    ['body_missing', undefined, good],
    ['body_missing', new Uint8Array(), good],
    ['body_already_parsed', event, good],
    ['body_already_parsed', 5, good],
    ['header_missing', BODY, undefined],
    ['header_missing', BODY, null],
    ['header_missing', BODY, ''],
    ['header_malformed', BODY, [good, good]],
    ['header_malformed', BODY, 'nonsense'],
    ['header_malformed', BODY, `v1=${hex}`],
    ['header_malformed', BODY, `t=${NOW},t=${NOW},v1=${hex}`],
    ['header_malformed', BODY, `t= ${NOW},v1=${hex}`],
    ['header_malformed', BODY, `t=+${NOW},v1=${hex}`],
    ['header_malformed', BODY, `t=0${NOW},v1=${hex}`],
    ['header_malformed', BODY, `t=${NOW}.0,v1=${hex}`],
    ['header_malformed', BODY, `t=0x10,v1=${hex}`],
    ['header_malformed', BODY, `t=,v1=${hex}`],
    ['header_malformed', BODY, `t=1234567890123,v1=${hex}`],
    ['header_malformed', BODY, `${good},`],
    ['header_too_long', BODY, `${good},v0=${'a'.repeat(4096)}`],
    ['signature_missing', BODY, `t=${NOW}`],
    ['signature_missing', BODY, `t=${NOW},v0=${hex}`],
    ['signature_missing', BODY, `t=${NOW},v1=`],
    ['signature_missing', BODY, `t=${NOW},v1=${'é'.repeat(64)}`],
    ['signature_missing', BODY, `t=${NOW},v1=${hex}00`],
    ['signature_missing', BODY, `t=${NOW},v1=${hex.toUpperCase().replace(/^./, 'A')}`],
    ['signature_mismatch', `${BODY} `, good],
    ['signature_mismatch', BODY, `t=${NOW + 1},v1=${hex}`],
    ['signature_mismatch', BODY, good, { secret: 'whsec_other' }],
    ['timestamp_too_old', BODY, at(NOW - 301)],
    ['timestamp_in_future', BODY, at(NOW + 301)],
    ['timestamp_in_future', BODY, at(NOW + 365 * 86_400)],
    ['timestamp_too_old', BODY, at(NOW - 1), { toleranceSeconds: 0 }],
    ['payload_invalid', '{', at(NOW, '{')],
    ['payload_invalid', '[]', at(NOW, '[]')],
    ['payload_invalid', 'null', at(NOW, 'null')],
  ])('a webhook is rejected with reason %s (body %j, header %j)', async (reason, body, header, options) => {
    expect(await verifyBoth(body, header, options)).toBe(reason);
  });

  test('a webhook is rejected with reason payload_invalid if the signed bytes are not valid UTF-8', async () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect(await verifyBoth(bytes, webhooks.sign(bytes))).toBe('payload_invalid');
  });

  test('bytes other than the signed ones cause signature_mismatch, even if they decode to the same text', async () => {
    const replacement = new TextEncoder().encode('{"a":"\ufffd"}');
    const broken = Uint8Array.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    expect(await verifyBoth(broken, webhooks.sign(replacement))).toBe('signature_mismatch');
  });
});

describe('configuration errors', () => {
  test('verify throws if a secret is missing or empty, or the tolerance is invalid', () => {
    const bare = new Webhooks();
    const wrong: [Webhooks, VerifyOptions][] = [
      [bare, {}],
      [bare, { secret: [] }],
      [webhooks, { secret: '' }],
      [webhooks, { secret: [SECRET, ' '] }],
      [webhooks, { toleranceSeconds: -1 }],
      [webhooks, { toleranceSeconds: Number.NaN }],
    ];
    for (const [verifier, options] of wrong) {
      expect(() => verifier.verify(BODY, good, options)).toThrow(AffkitConfigurationError);
    }
  });

  test.each([
    ['a runtime without node:crypto', undefined],
    ['Node 20.15', { version: 'v20.15.1' }],
  ])('in %s, verify throws, but verifyAsync works', async (_runtime, process) => {
    vi.stubGlobal('process', process);
    expect(() => webhooks.verify(BODY, good)).toThrow(
      'This runtime cannot load node:crypto: use verifyAsync or fromRequest',
    );
    expect(await webhooks.verifyAsync(BODY, good)).toEqual(event);
  });
});

test('toJSON of a verification error contains the reason and no secret', () => {
  let thrown: unknown;
  try {
    webhooks.verify(`${BODY} `, good);
  } catch (error) {
    thrown = error;
  }
  expect(JSON.parse(JSON.stringify(thrown))).toMatchObject({
    name: 'AffkitWebhookVerificationError',
    code: 'webhook_verification_failed',
    reason: 'signature_mismatch',
  });
  expect(JSON.stringify(thrown)).not.toContain(SECRET);
});

const anySecret = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((text) => text.trim() !== '' && text.isWellFormed());
const anyObject = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
const anyTimestamp = fc.integer({ min: NOW - 300, max: NOW + 300 });

describe('compatibility with the stripe package', () => {
  test('this package accepts signatures that the stripe package creates', async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, anySecret, anyTimestamp, async (object, secret, timestamp) => {
        const payload = JSON.stringify(object);
        const header = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
        expect(await verifyBoth(payload, header, { secret: ['whsec_old', secret] })).toEqual(
          JSON.parse(payload),
        );
      }),
    );
  });

  test('the stripe package accepts signatures that this package creates', () => {
    fc.assert(
      fc.property(anyObject, anySecret, anyTimestamp, (object, secret, timestamp) => {
        const payload = JSON.stringify(object);
        const header = webhooks.sign(payload, { secret, timestamp });
        const read: unknown = stripe.webhooks.constructEvent(payload, header, secret, 300, undefined, NOW_MS);
        expect(read).toEqual(JSON.parse(payload));
      }),
    );
  });
});

describe('webhooks that the stripe package mishandles are rejected with a reason', () => {
  const verifyWithStripe = (body: string | Buffer, header: unknown, tolerance = 300): string => {
    try {
      stripe.webhooks.constructEvent(body, header as string, SECRET, tolerance, undefined, NOW_MS);
      return 'accepted';
    } catch (error) {
      return error instanceof Stripe.errors.StripeSignatureVerificationError
        ? 'refused'
        : 'threw another error';
    }
  };

  test.each<[string, unknown, string, string, number?]>([
    ['an empty signature', `t=${NOW},v1=`, 'threw another error', 'signature_missing'],
    [
      'a signature with non-ASCII letters',
      `t=${NOW},v1=${'é'.repeat(64)}`,
      'threw another error',
      'signature_missing',
    ],
    ['two headers', [good, good], 'threw another error', 'header_malformed'],
    ['a timestamp a year ahead', at(NOW + 365 * 86_400), 'accepted', 'timestamp_in_future'],
    ['an old timestamp with tolerance 0', at(NOW - 200), 'accepted', 'timestamp_too_old', 0],
    ['two timestamps, the last of them correct', `t=1,t=${NOW},v1=${hex}`, 'accepted', 'header_malformed'],
    ['a timestamp with trailing characters', `t=${NOW}x,v1=${hex}`, 'accepted', 'header_malformed'],
    ['a timestamp with a sign', `t=+${NOW},v1=${hex}`, 'accepted', 'header_malformed'],
    ['a timestamp with a space', `t= ${NOW},v1=${hex}`, 'accepted', 'header_malformed'],
    ['a signature with trailing characters', `t=${NOW},v1=${hex}=x`, 'accepted', 'signature_missing'],
    ['a part without a name', `${good},`, 'accepted', 'header_malformed'],
    ['a header of 1 MB', `${good}${',v0=a'.repeat(200_000)}`, 'accepted', 'header_too_long'],
  ])('%s', async (_what, header, withStripe, reason, tolerance = 300) => {
    expect(verifyWithStripe(BODY, header, tolerance)).toBe(withStripe);
    expect(await verifyBoth(BODY, header, { toleranceSeconds: tolerance })).toBe(reason);
  });

  test('bytes that differ from the signed bytes, but decode to the same text', async () => {
    const header = at(NOW, '{"a":"\ufffd"}');
    const bytes = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    expect(verifyWithStripe(bytes, header)).toBe('accepted');
    expect(await verifyBoth(bytes, header)).toBe('signature_mismatch');
  });
});

describe('property tests', () => {
  const anyHeader = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc
      .array(
        fc.constantFrom(
          `t=${NOW}`,
          `v1=${hex}`,
          `v1=${'0'.repeat(64)}`,
          't=1',
          'v1=',
          'v0=x',
          't',
          '=',
          '',
          'v1=ü',
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join(',')),
  );

  test('every header is accepted or rejected with a reason', async () => {
    await fc.assert(
      fc.asyncProperty(anyHeader, async (header) => {
        const parts = header.split(',');
        const isGood =
          parts.filter((part) => part.startsWith('t=')).join() === `t=${NOW}` &&
          parts.includes(`v1=${hex}`) &&
          parts.every((part) => part.indexOf('=') > 0);
        const result = await verifyBoth(BODY, header);
        expect(isGood ? result : typeof result).toEqual(isGood ? event : 'string');
      }),
    );
  });

  test('verification fails with signature_mismatch if one bit of the body or the signature changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.nat(255), async (body, bit, digit) => {
        const header = webhooks.sign(body);
        const changed = Uint8Array.from(body);
        const index = (bit >> 3) % body.length;
        changed[index] = (changed[index] ?? 0) ^ (1 << (bit & 7));
        expect(await verifyBoth(changed, header)).toBe('signature_mismatch');
        const place = header.length - 64 + (digit % 64);
        const flipped = (Number.parseInt(header[place] ?? '', 16) ^ 1).toString(16);
        const forged = header.slice(0, place) + flipped + header.slice(place + 1);
        expect(await verifyBoth(body, forged)).toBe('signature_mismatch');
      }),
    );
  });
});
