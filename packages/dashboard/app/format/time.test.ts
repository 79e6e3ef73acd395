import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../core/test/support/test-depth.ts';
import { formatDate, formatDates, formatMonth, formatShortDate, formatTime } from './time.ts';

const runs = propertyRuns({ short: 300, long: 20_000 });
const time = fc.date({ min: new Date('1990-01-01'), max: new Date('2080-01-01'), noInvalidDate: true });
const intl = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en', { timeZone: 'UTC', ...options });
const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;

test('dates and times have the format of the browser', () => {
  fc.assert(
    fc.property(time, (at) => {
      const text = at.toISOString();
      expect(formatDate(text)).toBe(intl(day).format(at));
      expect(formatDate(at.getTime())).toBe(intl(day).format(at));
      expect(formatShortDate(text)).toBe(intl({ month: 'short', day: 'numeric' }).format(at));
      expect(formatMonth(text)).toBe(intl({ year: 'numeric', month: 'short' }).format(at));
      const minutes = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
      const clock = intl({ month: 'short', day: 'numeric', ...minutes }).format(at);
      const isThisYear = at.getUTCFullYear() === new Date().getUTCFullYear();
      expect(formatTime(text)).toBe(isThisYear ? `${clock} UTC` : `${clock} UTC, ${at.getUTCFullYear()}`);
    }),
    runs,
  );
});

test('a range has the format of the browser, within a month, a year, or several years', () => {
  fc.assert(
    fc.property(time, fc.constantFrom(0, 1, 5, 40, 400), (from, days) => {
      const to = new Date(from.getTime() + days * 86_400_000);
      expect(formatDates(from.toISOString(), to.getTime())).toBe(intl(day).formatRange(from, to));
    }),
    runs,
  );
});

test('a time in the current year is shown without the year', () => {
  const now = new Date().toISOString();
  expect(formatTime(now)).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{2}:\d{2} UTC$/);
});
