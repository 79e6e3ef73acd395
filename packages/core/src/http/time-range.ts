import type { TimeRange } from '../domain/time-range.ts';

/** The time range of a query with `dateFrom` and `dateTo`. */
export function timeRangeOf(query: {
  readonly dateFrom?: number | undefined;
  readonly dateTo?: number | undefined;
}): TimeRange {
  return { from: query.dateFrom ?? null, to: query.dateTo ?? null };
}
