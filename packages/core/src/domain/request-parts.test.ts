import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRejection } from '../rejection.ts';
import { checkOrigin, isHostWithin } from './check-origin.ts';
import { hashEmail } from './email.ts';
import { decideOccurredAt } from './occurred-at.ts';
import { readPartnerCode } from './partner-code.ts';

const codeOf = (value: unknown) => (isRejection(value) ? value.code : value);

describe('readPartnerCode', () => {
  test.each([
    ['https://shop.example/?aff=anna', 'anna'],
    ['https://shop.example/?aff=&aff=anna&aff=ben', 'anna'],
    ['https://shop.example/?AFF=anna', 'aff_parameter_missing'],
    ['https://shop.example/?aff=', 'aff_parameter_missing'],
    ['/landing?aff=anna', 'invalid_affiliate_url'],
    ['javascript:alert(1)//?aff=anna', 'invalid_affiliate_url'],
    [`https://shop.example/?aff=${'a'.repeat(256)}`, 'referral_link_not_found'],
    ['https://shop.example/?aff=a%00b', 'referral_link_not_found'],
  ])('for the URL %s, returns %s', (url, expected) => {
    expect(codeOf(readPartnerCode(url))).toBe(expected);
  });

  test('reads the code from the aff parameter of any https URL', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_-]{2,64}$/),
        fc.webAuthority(),
        fc.array(fc.string({ unit: 'grapheme' })),
        (code, authority, segments) => {
          const path = segments.map(encodeURIComponent).join('/');
          expect(readPartnerCode(`https://${authority}/${path}?x=1&aff=${code}#f`)).toBe(code);
        },
      ),
    );
  });
});

describe('origins and hosts', () => {
  test.each([
    ['null', ['*'], undefined, 'origin_not_allowed'],
    ['https://a.example', ['*'], undefined, null],
    ['https://a.example', ['https://a.example'], undefined, null],
    ['https://a.example:8443', ['https://a.example'], undefined, 'origin_not_allowed'],
    ['http://a.example', ['https://a.example'], undefined, 'origin_not_allowed'],
    ['https://evil-a.example', ['https://a.example'], undefined, 'origin_not_allowed'],
    ['https://aff.example', [], 'aff.example', null],
    ['not an origin', [], 'aff.example', 'origin_not_allowed'],
  ])('origin %s with allowed origins %j on host %s: error %s', (origin, allowedOrigins, host, expected) => {
    for (const requireOrigin of [false, true]) {
      expect(codeOf(checkOrigin(origin, { allowedOrigins, requireOrigin }, host))).toBe(expected);
    }
  });

  test('a request without an origin is rejected only by a program that requires one', () => {
    const allowedOrigins = ['*'];
    expect(checkOrigin(undefined, { allowedOrigins, requireOrigin: false }, 'aff.example')).toBeNull();
    expect(codeOf(checkOrigin(undefined, { allowedOrigins, requireOrigin: true }, 'aff.example'))).toBe(
      'origin_required',
    );
  });

  test('isHostWithin accepts only the domain and its subdomains', () => {
    expect([
      isHostWithin('shop.example:8080', 'shop.example'),
      isHostWithin('t.shop.example', 'shop.example'),
      isHostWithin('myshop.example', 'shop.example'),
    ]).toEqual([true, true, false]);
  });
});

describe('occurred_at', () => {
  const now = Date.UTC(2026, 5, 1);
  test.each([
    [undefined, now],
    ['2026-05-31T00:00:00Z', Date.UTC(2026, 4, 31)],
    ['2026-06-01T00:04:00+00:00', now],
    ['2026-06-01T00:06:00Z', 'invalid_field'],
    ['2026-03-03T00:00:00Z', Date.UTC(2026, 2, 3)],
    ['2026-03-02T23:59:59Z', 'invalid_field'],
    ['2026-13-01T00:00:00Z', 'invalid_field'],
  ])('the reported time %s results in %s', (occurredAt, expected) => {
    expect(codeOf(decideOccurredAt({ occurred_at: occurredAt }, now))).toBe(expected);
  });

  test.each([
    ['the clock is right', '2026-05-31T22:00:00Z', 7_200_000, Date.UTC(2026, 4, 31, 22)],
    ['the clock is 4 minutes ahead', '2026-05-31T22:04:00Z', 7_200_000, Date.UTC(2026, 4, 31, 22, 4)],
    ['the clock is an hour ahead', '2026-05-31T23:00:00Z', 7_200_000, Date.UTC(2026, 4, 31, 22)],
    ['the clock was ahead and is right again', '2026-06-01T01:00:00Z', 0, now],
    ['the clock is set to 1970', '1970-01-01T00:00:00Z', 7_200_000, Date.UTC(2026, 4, 31, 22)],
    ['occurred_at is missing', undefined, 7_200_000, Date.UTC(2026, 4, 31, 22)],
    ['the age exceeds 90 days', undefined, 91 * 86_400_000, 'invalid_field'],
    ['the age and occurred_at exceed 90 days', '2026-03-02T00:00:00Z', 91 * 86_400_000, 'invalid_field'],
  ])('when %s, occurred_at %s and age_ms %i result in %s', (_case, occurredAt, ageMs, expected) => {
    expect(codeOf(decideOccurredAt({ occurred_at: occurredAt, age_ms: ageMs }, now))).toBe(expected);
  });
});

describe('stored email addresses', () => {
  const hash = '973dfe463ec85785f5f95af5ba3906eedb2d931c24e69824a89ea65dba4e813b';

  test('returns a hash and a masked form', () => {
    expect(hashEmail('  Test@Example.com ')).toEqual({ hash, masked: 't***@example.com' });
  });

  test('accepts a hash instead of an address', () => {
    expect(hashEmail(hash.toUpperCase())).toEqual({ hash, masked: null });
  });

  test('returns null for blank text and masks text without @ completely', () => {
    expect(hashEmail('  ')).toBeNull();
    expect(hashEmail('nonsense')?.masked).toBe('***');
  });
});
