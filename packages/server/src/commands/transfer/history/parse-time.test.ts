import { expect, test } from 'vitest';
import { parseTime } from './parse-time.ts';

const NOW = Date.UTC(2026, 5, 15);

test.each([
  ['2024-05-01T10:00:00.000Z', Date.UTC(2024, 4, 1, 10)],
  ['2024-05-01 10:00:00 UTC', Date.UTC(2024, 4, 1, 10)],
  ['2024-05-01 10:00:00', Date.UTC(2024, 4, 1, 10)],
  ['2024-05-01T10:00:00+02:00', Date.UTC(2024, 4, 1, 8)],
  ['2024-05-01T10:00:00+0200', Date.UTC(2024, 4, 1, 8)],
  ['2024-05-01', Date.UTC(2024, 4, 1)],
  ['1714557600', Date.UTC(2024, 4, 1, 10)],
  ['1714557600000', Date.UTC(2024, 4, 1, 10)],
  // A time up to a day in the future becomes `now`, because clocks may differ and time zones may be missing.
  ['2026-06-15T10:00:00Z', NOW],
])('parseTime reads %s', (text, at) => {
  expect(parseTime(text, NOW)).toBe(at);
});

test.each(['', '05/01/2024', '2024-13-01', 'May 1', '1970-01-01', '2027-01-01', '-1', '=NOW()'])(
  'parseTime rejects %s',
  (text) => {
    expect(parseTime(text, NOW)).toBeNull();
  },
);
