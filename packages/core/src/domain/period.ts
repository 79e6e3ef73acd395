import { isRejection, Rejection } from '../rejection.ts';
import { utcDay } from './calendar.ts';
import { readTimeRange } from './time-range.ts';

const PERIODS = { '7d': 7, '30d': 30, '90d': 90, all: null } as const;
const DEFAULT_PERIOD = '7d';
/** Bounds the response, which has one row per day. */
const MAX_DAYS = 36_525;

/** A range of whole UTC days, counted from the epoch. Both ends are included. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** The time range of a report. */
export interface Period {
  /** A named period such as `7d`, or `custom` when the query has both dates. */
  readonly name: string;
  /** Null covers every day with data. */
  readonly days: DayRange | null;
}

/**
 * Reads `period`, `dateFrom` and `dateTo`. The dates count only as a pair, and a pair overrides `period`. A
 * date with a time covers its whole UTC day.
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

/** The range of equal length that ends the day before `days` starts. */
export function previousDays(days: DayRange): DayRange {
  return { from: days.from - countDays(days), to: days.from - 1 };
}

export function countDays({ from, to }: DayRange): number {
  return to - from + 1;
}

function isPeriod(name: string): name is keyof typeof PERIODS {
  return Object.hasOwn(PERIODS, name);
}
