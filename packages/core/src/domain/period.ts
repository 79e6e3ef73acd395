import type { PerformanceQuery } from '@affkit/protocol';
import { utcDay } from './calendar.ts';

const PERIODS = { '7d': 7, '30d': 30, '90d': 90, all: null } as const;

/** Whole UTC days, both included. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** What a report covers; `days` is null for all days that there are. */
export interface Period {
  /** `custom` where both dates were given. */
  readonly name: string;
  readonly days: DayRange | null;
}

/** @param query a pair of dates replaces `period`; a date with a time covers its whole day */
export function computePeriod({ period, dateFrom, dateTo }: PerformanceQuery, now: number): Period {
  if (dateFrom !== undefined && dateTo !== undefined) {
    return { name: 'custom', days: { from: utcDay(dateFrom), to: utcDay(dateTo) } };
  }
  const length = PERIODS[period];
  const today = utcDay(now);
  return { name: period, days: length === null ? null : { from: today - length + 1, to: today } };
}

/** The range of equal length that ends on the day before. */
export function previousDays(days: DayRange): DayRange {
  return { from: days.from - countDays(days), to: days.from - 1 };
}

export function countDays({ from, to }: DayRange): number {
  return to - from + 1;
}
