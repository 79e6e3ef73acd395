import fc from 'fast-check';
import Stripe from 'stripe';
import { afterEach, describe, expect, test, vi } from 'vitest';
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

/** The event, or the reason why there is none; both ways to verify must agree. */
async function judge(body: unknown, header: unknown, options: VerifyOptions = {}): Promise<unknown> {
  const args = [body as RawBody, header as string, options] as const;
  const reasonOf = (error: unknown) => {
    if (error instanceof AffkitWebhookVerificationError) return error.reason;
    throw error;
  };
  let atOnce: unknown;
  try {
    atOnce = webhooks.verify(...args);
  } catch (error) {
    atOnce = reasonOf(error);
  }
  expect(await webhooks.verifyAsync(...args).catch(reasonOf)).toEqual(atOnce);
  return atOnce;
}

const event = JSON.parse(BODY) as unknown;
const at = (timestamp: number, body = BODY) => webhooks.sign(body, { timestamp });

describe('a webhook is accepted', () => {
  test('with the secret that the client was made with', async () => {
    expect(await judge(BODY, good)).toEqual(event);
  });

  test('as text, bytes, part of a buffer, or an ArrayBuffer', async () => {
    const bytes = new TextEncoder().encode(BODY);
    const padded = new Uint8Array([1, 2, 3, ...bytes, 4]);
    const bodies = [bytes, Buffer.from(BODY), padded.subarray(3, -1), bytes.buffer];
    for (const body of bodies) expect(await judge(body, good)).toEqual(event);
  });

  test('by any of several secrets and any of several signatures', async () => {
    const secrets = ['whsec_next', SECRET];
    expect(await judge(BODY, good, { secret: secrets })).toEqual(event);
    const other = '0'.repeat(64);
    const header = `t=${NOW},v0=abc,v1=${other},v1=short,v1=${hex},v1=${other}`;
    expect(await judge(BODY, header, { secret: secrets })).toEqual(event);
  });

  test('at the edge of the tolerance, either way', async () => {
    expect(await judge(BODY, at(NOW - 300))).toEqual(event);
    expect(await judge(BODY, at(NOW + 300))).toEqual(event);
    expect(await judge(BODY, at(NOW), { toleranceSeconds: 0 })).toEqual(event);
    expect(await judge(BODY, at(NOW - 1_000_000), { toleranceSeconds: Infinity })).toEqual(event);
  });

  test('with the header in a list of one', async () => {
    expect(await judge(BODY, [good])).toEqual(event);
  });
});

describe('a webhook is refused for its', () => {
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
  ])('%s (body %j, header %j)', async (reason, body, header, options) => {
    expect(await judge(body, header, options)).toBe(reason);
  });

  test('payload_invalid, where the signed bytes are no UTF-8', async () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect(await judge(bytes, webhooks.sign(bytes))).toBe('payload_invalid');
  });

  test('signature_mismatch, where another byte would decode to the same text', async () => {
    const replacement = new TextEncoder().encode('{"a":"\ufffd"}');
    const broken = Uint8Array.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    expect(await judge(broken, webhooks.sign(replacement))).toBe('signature_mismatch');
  });
});

describe('a wrong set-up is told apart from a wrong webhook', () => {
  test('no secret, an empty one, a tolerance that is no number', () => {
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

  test('a runtime without node:crypto, where verifyAsync still works', async () => {
    vi.stubGlobal('process', undefined);
    expect(() => webhooks.verify(BODY, good)).toThrow('use webhooks.verifyAsync');
    expect(await webhooks.verifyAsync(BODY, good)).toEqual(event);
  });
});

test('a refusal as JSON holds its reason and no secret', () => {
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

describe("the stripe package's own", () => {
  test('signatures are accepted', async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, anySecret, anyTimestamp, async (object, secret, timestamp) => {
        const payload = JSON.stringify(object);
        const header = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
        expect(await judge(payload, header, { secret: ['whsec_old', secret] })).toEqual(JSON.parse(payload));
      }),
    );
  });

  test('verifier accepts the signatures made here', () => {
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

describe("what the stripe package's own verifier mishandles is refused with a reason", () => {
  const theirs = (body: string | Buffer, header: unknown, tolerance = 300): string => {
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
      'a signature of other letters',
      `t=${NOW},v1=${'é'.repeat(64)}`,
      'threw another error',
      'signature_missing',
    ],
    ['two headers', [good, good], 'threw another error', 'header_malformed'],
    ['a time a year ahead', at(NOW + 365 * 86_400), 'accepted', 'timestamp_in_future'],
    ['an old time, where none is tolerated', at(NOW - 200), 'accepted', 'timestamp_too_old', 0],
    ['two times, the last of them right', `t=1,t=${NOW},v1=${hex}`, 'accepted', 'header_malformed'],
    ['a time with more behind it', `t=${NOW}x,v1=${hex}`, 'accepted', 'header_malformed'],
    ['a time with a sign', `t=+${NOW},v1=${hex}`, 'accepted', 'header_malformed'],
    ['a time with a space', `t= ${NOW},v1=${hex}`, 'accepted', 'header_malformed'],
    ['a signature with more behind it', `t=${NOW},v1=${hex}=x`, 'accepted', 'signature_missing'],
    ['a part without a name', `${good},`, 'accepted', 'header_malformed'],
    ['a header of a megabyte', `${good}${',v0=a'.repeat(200_000)}`, 'accepted', 'header_too_long'],
  ])('%s', async (_what, header, there, here, tolerance = 300) => {
    expect(theirs(BODY, header, tolerance)).toBe(there);
    expect(await judge(BODY, header, { toleranceSeconds: tolerance })).toBe(here);
  });

  test('bytes that only decode to what was signed', async () => {
    const header = at(NOW, '{"a":"\ufffd"}');
    const bytes = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    expect(theirs(bytes, header)).toBe('accepted');
    expect(await judge(bytes, header)).toBe('signature_mismatch');
  });
});

describe('for every webhook', () => {
  const anyHeader = fc.oneof(
    fc.string({ unit: 'binary' }),
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

  test('either it is accepted or it is refused with a reason, whatever the header is', async () => {
    await fc.assert(
      fc.asyncProperty(anyHeader, async (header) => {
        const parts = header.split(',');
        const isGood =
          parts.filter((part) => part.startsWith('t=')).join() === `t=${NOW}` &&
          parts.includes(`v1=${hex}`) &&
          parts.every((part) => part.indexOf('=') > 0);
        const verdict = await judge(BODY, header);
        expect(isGood ? verdict : typeof verdict).toEqual(isGood ? event : 'string');
      }),
    );
  });

  test('one changed bit of the body or of a signature is a mismatch', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.nat(255), async (body, bit, digit) => {
        const header = webhooks.sign(body);
        const changed = Uint8Array.from(body);
        const index = (bit >> 3) % body.length;
        changed[index] = (changed[index] ?? 0) ^ (1 << (bit & 7));
        expect(await judge(changed, header)).toBe('signature_mismatch');
        const place = header.length - 64 + (digit % 64);
        const flipped = (Number.parseInt(header[place] ?? '', 16) ^ 1).toString(16);
        const forged = header.slice(0, place) + flipped + header.slice(place + 1);
        expect(await judge(body, forged)).toBe('signature_mismatch');
      }),
    );
  });
});
