import { locale } from '#messages/locale.ts';
import { lazy } from './lazy.ts';

const UTC = { timeZone: 'UTC' } as const;
const date = lazy(
  () => new Intl.DateTimeFormat(locale, { ...UTC, year: 'numeric', month: 'short', day: 'numeric' }),
);
const shortDate = lazy(() => new Intl.DateTimeFormat(locale, { ...UTC, month: 'short', day: 'numeric' }));
const dateTime = lazy(
  () =>
    new Intl.DateTimeFormat(locale, {
      ...UTC,
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);
const month = lazy(() => new Intl.DateTimeFormat(locale, { ...UTC, year: 'numeric', month: 'short' }));
const exact = lazy(
  () =>
    new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'long',
      hourCycle: 'h23',
    }),
);
const DAY_MS = 86_400_000;

/** Formats a date in UTC, such as `Nov 3, 2026`. */
export function formatDate(time: string | number): string {
  return date().format(new Date(time));
}

/** Formats a date in UTC without the year, such as `Nov 3`. */
export function formatShortDate(time: string | number): string {
  return shortDate().format(new Date(time));
}

/** Formats a month in UTC, such as `Nov 2026`. */
export function formatMonth(time: string | number): string {
  return month().format(new Date(time));
}

/** Formats a range of dates in UTC, such as `Nov 3 – 9, 2026`. If both dates are equal, only one is shown. */
export function formatDates(from: string | number, to: string | number): string {
  return date().formatRange(new Date(from), new Date(to));
}

/** Formats a time, such as `Nov 3, 14:05 UTC`. The year is shown unless it is the current year. */
export function formatTime(time: string): string {
  const at = new Date(time);
  const isThisYear = at.getUTCFullYear() === new Date().getUTCFullYear();
  const text = dateTime().format(at);
  return isThisYear ? `${text} UTC` : `${text} UTC, ${at.getUTCFullYear()}`;
}

/** Formats an instant in the user's time zone, to the second. Used in tooltips. */
export function formatLocal(time: string): string {
  return exact().format(new Date(time));
}

/** Returns the UTC date that is `days` days before today, such as `2026-11-03`. */
export function dayBefore(days: number, now: number = Date.now()): string {
  return new Date(now - days * DAY_MS).toISOString().slice(0, 10);
}
