import { isRejection, Rejection } from '../rejection.ts';
import { utcDay } from './calendar.ts';
import { readTimeRange } from './time-range.ts';

const PERIODS = { '7d': 7, '30d': 30, '90d': 90, all: null } as const;
const DEFAULT_PERIOD = '7d';
/** Each day is a row of the answer. */
const MAX_DAYS = 36_525;

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

/**
 * Reads `period`, `dateFrom` and `dateTo`. The dates count as a pair alone, and then `period` is not looked at; one
 * that has a time means its whole day.
 */
export function readPeriod(query: URLSearchParams, now: number): Period | Rejection {
  const dateFrom = query.get('dateFrom');
  const dateTo = query.get('dateTo');
  if (dateFrom && dateTo) {
    const range = readTimeRange(dateFrom, dateTo);
    if (isRejection(range)) return range;
    const days = { from: utcDay(range.from ?? 0), to: utcDay(range.to ?? 0) };
    return countDays(days) > MAX_DAYS
      ? new Rejection('invalid_field', `dateFrom and dateTo may span at most ${MAX_DAYS} days`)
      : { name: 'custom', days };
  }
  const name = query.get('period') || DEFAULT_PERIOD;
  if (!isPeriod(name)) {
    return new Rejection('invalid_field', `period must be one of ${Object.keys(PERIODS).join(', ')}`);
  }
  const length = PERIODS[name];
  const today = utcDay(now);
  return { name, days: length === null ? null : { from: today - length + 1, to: today } };
}

/** The range of equal length that ends on the day before. */
export function previousDays(days: DayRange): DayRange {
  return { from: days.from - countDays(days), to: days.from - 1 };
}

export function countDays({ from, to }: DayRange): number {
  return to - from + 1;
}

function isPeriod(name: string): name is keyof typeof PERIODS {
  return Object.hasOwn(PERIODS, name);
}
