export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** An instant as it stands in an answer: ISO 8601 in UTC. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

/** UTC days since the epoch. */
export function utcDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** The date of a UTC day since the epoch, as `YYYY-MM-DD`. */
export function isoDate(day: number): string {
  return isoTime(day * DAY_MS).slice(0, 10);
}

/** The same UTC time of day `months` later; the day is clamped to that month's end (31 January + 1 = 28 February). */
export function addUtcMonths(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}
