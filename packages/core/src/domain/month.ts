/** A UTC month, as the number of months since January of year 0. The next month is `month + 1`. */
export type Month = number;

const MONTHS_PER_YEAR = 12;

/** The UTC month that contains an instant. */
export function monthOf(at: number): Month {
  const date = new Date(at);
  return date.getUTCFullYear() * MONTHS_PER_YEAR + date.getUTCMonth();
}

/** The first instant of a UTC month. The end of a month is the start of the next. */
export function startOfMonth(month: Month): number {
  return Date.UTC(Math.floor(month / MONTHS_PER_YEAR), month % MONTHS_PER_YEAR, 1);
}

/** Formats a month as `YYYY-MM`. */
export function isoMonth(month: Month): string {
  return new Date(startOfMonth(month)).toISOString().slice(0, 7);
}
