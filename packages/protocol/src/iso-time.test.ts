import { expect, test } from 'vitest';
import { readIsoTime } from './iso-time.ts';
import { createApiKeyRequest } from './requests/management.ts';
import { trackSaleRequest } from './requests/tracking.ts';

const TEN = Date.UTC(2026, 10, 22, 10);
const HOUR = 3_600_000;

test.each([
  ['2026-11-22', TEN - 10 * HOUR, false, false],
  ['2026-11-22T10:00', TEN, true, false],
  ['2026-11-22T10:00:00', TEN, true, false],
  ['2026-11-22T10:00:00.250', TEN + 250, true, false],
  ['2026-11-22T10:00:00.250999999Z', TEN + 250, true, true],
  ['2026-11-22T10:00Z', TEN, true, true],
  ['2026-11-22T12:00:00+02:00', TEN, true, true],
  ['2026-11-22T12:00+0200', TEN, true, true],
  ['2026-11-22T12:00:00.5+02', TEN + 500, true, true],
  ['2026-11-22T04:30:00-0530', TEN, true, true],
  ['2026-11-21T24:00:00Z', TEN - 10 * HOUR, true, true],
])('parses %s', (text, at, hasTime, hasZone) => {
  expect(readIsoTime(text)).toEqual({ at, hasTime, hasZone });
});

test.each([
  '',
  'x',
  '2026',
  '2026-11',
  '2026-02-30',
  '2026-02-30T10:00:00',
  '2026-02-30T00:00:00+02:00',
  '2026-11-22Z',
  '2026-11-22T',
  '2026-11-22T10',
  '2026-11-22T10:00:60',
  '2026-11-22T25:00',
  '2026-11-22T10:00+25:00',
  '2026-11-22T10:00+2',
  '2026-11-22T10:00:00.Z',
  '2026-11-22 10:00:00',
  '2026-11-22T10:00:00Z\n',
])('returns null for %j', (text) => {
  expect(readIsoTime(text)).toBeNull();
});

test.each([
  ['2026-11-22T10:00Z', '2026-11-22T10:00:00.000Z'],
  ['2026-11-22T12:00:00+0200', '2026-11-22T10:00:00.000Z'],
  ['2026-11-22T10:00:00', null],
  ['2026-11-22', null],
  [5, null],
])('occurred_at requires a zone: %j becomes %j', (occurred_at, expected) => {
  const parsed = trackSaleRequest.safeParse({ transaction_id: 'order-1', amount_cents: 1, occurred_at });
  if (expected === null) {
    expect(parsed.error?.issues[0]?.message).toBe(
      'occurred_at must be an ISO 8601 date and time with a zone',
    );
  } else expect(parsed.data?.occurred_at).toBe(expected);
});

test.each([
  ['2026-11-22T12:00:00+02:00', '2026-11-22T10:00:00.000Z'],
  ['2026-11-22T10:00:00', '2026-11-22T10:00:00.000Z'],
  ['2026-11-22', '2026-11-22T00:00:00.000Z'],
  ['2026-02-30', undefined],
  [1_795_298_400, undefined],
])('expires_at may omit the zone: %j becomes %j', (expires_at, expected) => {
  const parsed = createApiKeyRequest.safeParse({ name: 'Deploy', expires_at });
  expect(parsed.data?.expires_at).toBe(expected);
  if (expected === undefined) {
    expect(parsed.error?.issues[0]?.message).toBe('expires_at must be an ISO 8601 date, or a date and time');
  }
});
