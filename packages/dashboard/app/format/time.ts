import * as dates from '#messages/dates.ts';
import { locale } from '#messages/locale.ts';
import { lazy } from './lazy.ts';

// The other formatters in this file do not use `Intl`, because a browser needs up to 85 ms to create its first date
// formatter, and four times as long on a slow phone.
const exact = lazy(
  () =>
    new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'long',
      hourCycle: 'h23',
    }),
);
const DAY_MS = 86_400_000;

function partsOf(time: string | number): dates.DateParts {
  const at = new Date(time);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth(), day: at.getUTCDate() };
}

/** Formats a date in UTC, such as `Nov 3, 2026`. */
export function formatDate(time: string | number): string {
  return dates.date(partsOf(time));
}

/** Formats a date in UTC without the year, such as `Nov 3`. */
export function formatShortDate(time: string | number): string {
  return dates.shortDate(partsOf(time));
}

/** Formats a month in UTC, such as `Nov 2026`. */
export function formatMonth(time: string | number): string {
  return dates.monthOf(partsOf(time));
}

/** Formats a range of dates in UTC, such as `Nov 3 – 9, 2026`. If both dates are equal, only one is shown. */
export function formatDates(from: string | number, to: string | number): string {
  const [start, end] = [partsOf(from), partsOf(to)];
  return dates.date(start) === dates.date(end) ? dates.date(start) : dates.dateRange(start, end);
}

/** Formats a time, such as `Nov 3, 14:05 UTC`. The year is shown unless it is the current year. */
export function formatTime(time: string): string {
  const parts = partsOf(time);
  const text = dates.dateTime(parts, new Date(time).toISOString().slice(11, 16));
  return parts.year === new Date().getUTCFullYear() ? `${text} UTC` : `${text} UTC, ${parts.year}`;
}

/** Formats an instant in the user's time zone, to the second. Used in tooltips. */
export function formatLocal(time: string): string {
  return exact().format(new Date(time));
}

/** Returns the UTC date that is `days` days before today, such as `2026-11-03`. */
export function dayBefore(days: number, now: number = Date.now()): string {
  return new Date(now - days * DAY_MS).toISOString().slice(0, 10);
}
