import type { PerformanceQuery } from '@affkit/protocol';
import { utcDay } from './calendar.ts';

const PERIOD_DAYS = { '7d': 7, '30d': 30, '90d': 90, all: null } as const;

/** A range of whole UTC days, counted from the epoch. Both bounds are inclusive. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** The time range of a report. */
export interface Period {
  /** The name of the period, such as `7d`, or `custom` when the query has both dates. */
  readonly name: string;
  /** Null means every day with data. */
  readonly days: DayRange | null;
}

/**
 * Computes the period of a query. If both dates are set, they override `period`. A single date is ignored. A
 * date with a time means its whole UTC day.
 */
export function computePeriod({ period, dateFrom, dateTo }: PerformanceQuery, now: number): Period {
  if (dateFrom !== undefined && dateTo !== undefined) {
    return { name: 'custom', days: { from: utcDay(dateFrom), to: utcDay(dateTo) } };
  }
  const length = PERIOD_DAYS[period];
  const today = utcDay(now);
  return { name: period, days: length === null ? null : { from: today - length + 1, to: today } };
}

/** Returns the range of equal length that ends on the day before `days`. */
export function previousDays(days: DayRange): DayRange {
  return { from: days.from - countDays(days), to: days.from - 1 };
}

export function countDays({ from, to }: DayRange): number {
  return to - from + 1;
}
