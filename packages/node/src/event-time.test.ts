import { expect, test } from 'vitest';
import { withCurrentAge } from './event-time.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

test.each([
  '2026-03-01T11:00:00Z',
  '2026-03-01T11:00Z',
  '2026-03-01T12:00:00.000+01:00',
  '2026-03-01T12:00:00+0100',
  '2026-03-01T12:00:00+01',
  '2026-03-01T12:00+01',
  '2026-03-01T05:30:00-05:30',
  '2026-03-01T06:00:00-05',
])('the age of an event with the time %s is an hour at noon UTC', (occurred_at) => {
  expect(withCurrentAge({ occurred_at, age_ms: 0 }, NOW_MS)).toEqual({ occurred_at, age_ms: 3_600_000 });
});

test('an event without age_ms does not get an age', () => {
  const event = { occurred_at: '2026-03-01T12:00:00+01' };
  expect(withCurrentAge(event, NOW_MS)).toEqual(event);
});
