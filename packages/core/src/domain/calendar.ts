export const DAY_MS = 86_400_000;

/** UTC days since the epoch. */
export function utcDay(at: number): number {
  return Math.floor(at / DAY_MS);
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
