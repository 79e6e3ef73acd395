import { describe, expect, test } from 'vitest';
import { intervalDays, PERIODS, rangeOf, readPeriod, writePeriod } from './period.ts';

const NOW = Date.parse('2026-11-23T04:00:00Z');
const CREATED = '2026-08-24T02:59:52.001Z';

describe('rangeOf', () => {
  test.each([
    ['7d', '2026-11-17', 7],
    ['30d', '2026-10-25', 30],
    ['90d', '2026-08-26', 90],
    ['12m', '2025-11-25', 364],
    // 90 days before the program was created, because events may be reported late.
    ['all', '2026-05-26', 182],
  ])('%s starts on %s and ends today', (name, dateFrom, days) => {
    expect(rangeOf(readPeriod(name), CREATED, NOW)).toEqual({ dateFrom, dateTo: '2026-11-23', days });
  });

  test.each([
    ['2026-11-22T23:00:00Z', 92],
    ['2026-01-01T00:00:00Z', 420],
    ['2021-01-01T00:00:00Z', 2268],
    ['1990-01-01T00:00:00Z', 3640],
  ])('all time of a program from %s has %i days, which is a whole number of intervals', (createdAt, days) => {
    const range = rangeOf(readPeriod('all'), createdAt, NOW);
    expect(range.days).toBe(days);
    expect(range.days % intervalDays(range.days)).toBe(0);
  });

  test('all time is the longest period if an older server does not send data_since', () => {
    const missing = undefined as unknown as string;
    expect(rangeOf(readPeriod('all'), missing, NOW)).toMatchObject({ dateTo: '2026-11-23', days: 3640 });
  });
});

test('each period has its own key and can be read back from the URL', () => {
  expect(new Set(PERIODS.map(({ key }) => key)).size).toBe(PERIODS.length);
  for (const { value } of PERIODS) expect(readPeriod(writePeriod(value)).value).toBe(value);
  expect(readPeriod('3 weeks').value).toBe('30d');
});
