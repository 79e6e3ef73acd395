import { performanceQuery } from '@affkit/protocol';
import { expect, test } from 'vitest';
import { utcDay } from './calendar.ts';
import { computePeriod, previousDays } from './period.ts';

const NOW = Date.UTC(2026, 5, 15, 23, 59);

function read(query: string) {
  const parsed = performanceQuery.safeParse(Object.fromEntries(new URLSearchParams(query)));
  if (!parsed.success) return parsed.error.issues[0]?.message;
  const { name, days } = computePeriod(parsed.data, NOW);
  return days === null ? name : `${name} ${date(days.from)} ${date(days.to)}`;
}

function date(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

test.each([
  ['', '7d 2026-06-09 2026-06-15'],
  ['period=', '7d 2026-06-09 2026-06-15'],
  ['period=30d', '30d 2026-05-17 2026-06-15'],
  ['period=90d', '90d 2026-03-18 2026-06-15'],
  ['period=all', 'all'],
  ['dateFrom=2026-02-27&dateTo=2026-03-01', 'custom 2026-02-27 2026-03-01'],
  ['dateFrom=2026-02-27&dateTo=2026-02-27&period=nonsense', 'custom 2026-02-27 2026-02-27'],
  ['dateFrom=2026-02-27T23:30:00-01:00&dateTo=2026-03-01T00:00:00Z', 'custom 2026-02-28 2026-03-01'],
  ['dateFrom=2026-02-27T23:30:00&dateTo=2026-03-01T00:00:00.5', 'custom 2026-02-27 2026-03-01'],
  ['dateFrom=2026-02-27T23:30-0100&dateTo=2026-03-01T00:30%2B01', 'custom 2026-02-28 2026-02-28'],
  ['dateFrom=2026-02-27', '7d 2026-06-09 2026-06-15'],
  ['dateFrom=nonsense&period=30d', '30d 2026-05-17 2026-06-15'],
  ['dateTo=2026-02-27&dateFrom=', '7d 2026-06-09 2026-06-15'],
])('the query "%s" covers %s', (query, days) => {
  expect(read(query)).toBe(days);
});

test.each([
  ['period=1d', 'period must be one of 7d, 30d, 90d, all'],
  ['period=toString', 'period must be one of 7d, 30d, 90d, all'],
  ['dateFrom=2026-02-30&dateTo=2026-03-01', 'dateFrom must be an ISO 8601 date, or a date and time'],
  ['dateFrom=2026-03-02&dateTo=2026-03-01', 'dateFrom must not be after dateTo'],
  ['dateFrom=1000-01-01&dateTo=2026-03-01', 'dateFrom and dateTo may span at most 36525 days'],
])('the query "%s" is rejected', (query, message) => {
  expect(read(query)).toBe(message);
});

test('previousDays returns the range of equal length that ends on the day before the given range', () => {
  const to = utcDay(NOW);
  expect(previousDays({ from: to - 6, to })).toEqual({ from: to - 13, to: to - 7 });
  expect(previousDays({ from: to, to })).toEqual({ from: to - 1, to: to - 1 });
});
