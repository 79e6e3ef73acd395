export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Formats epoch milliseconds as in API responses: ISO 8601 in UTC, with milliseconds. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

/** The number of whole UTC days between the epoch and an instant. */
export function utcDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** Formats a UTC day, counted from the epoch, as `YYYY-MM-DD`. */
export function isoDate(day: number): string {
  return isoTime(day * DAY_MS).slice(0, 10);
}

/**
 * Adds calendar months in UTC and keeps the time of day. If the target month is too short, its last day is
 * used: 31 January plus one month is 28 February, or 29 February in a leap year.
 */
export function addUtcMonths(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}
