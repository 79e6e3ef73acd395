import * as messages from '#messages/overview.ts';
import { dayBefore } from '../../format/time.ts';

/** The periods of the overview, each with its shortcut key. The keys are the same as in Plausible. */
export const PERIODS = [
  { value: '7d', text: messages.periods['7d'], name: messages.periodNames['7d'], key: 'w', days: 7 },
  { value: '30d', text: messages.periods['30d'], name: messages.periodNames['30d'], key: 't', days: 30 },
  { value: '90d', text: messages.periods['90d'], name: messages.periodNames['90d'], key: 'n', days: 90 },
  // 52 whole weeks, because each interval of the chart is a week.
  { value: '12m', text: messages.periods['12m'], name: messages.periodNames['12m'], key: 'l', days: 364 },
  { value: 'all', text: messages.periods.all, name: messages.periodNames.all, key: 'a', days: null },
] as const;

export type Period = (typeof PERIODS)[number];
export type PeriodName = Period['value'];

const DEFAULT_PERIOD: PeriodName = '30d';
const DAY_MS = 86_400_000;
/** The API rejects longer series. */
const MAX_SERIES_DAYS = 3_660;
/** The API accepts events up to this many days late, so events can be older than the program. */
const MAX_REPORT_DELAY_DAYS = 90;

/** Returns the period in the URL. */
export function readPeriod(text: string | undefined): Period {
  const named = PERIODS.find(({ value }) => value === text);
  return named ?? (PERIODS.find(({ value }) => value === DEFAULT_PERIOD) as Period);
}

/** Returns the value for the URL. It is empty for the default period. */
export function writePeriod(value: PeriodName): string {
  return value === DEFAULT_PERIOD ? '' : value;
}

/** Returns the number of days per interval of the chart. The chart has at most about 130 intervals. */
export function intervalDays(days: number): number {
  if (days <= 92) return 1;
  return days <= 910 ? 7 : 28;
}

export interface DayRange {
  /** The first and the last UTC day, such as `2026-11-03`. */
  readonly dateFrom: string;
  readonly dateTo: string;
  readonly days: number;
}

/**
 * Returns the days of a period that ends today.
 * @param dataSince when the data of the program or partner begins. The period "all" starts at least 90 days earlier,
 * because events may be reported up to 90 days late. It is limited to about ten years
 */
export function rangeOf({ days }: Period, dataSince: string, now: number = Date.now()): DayRange {
  const wanted = days ?? daysSince(dataSince, now);
  return { dateFrom: dayBefore(wanted - 1, now), dateTo: dayBefore(0, now), days: wanted };
}

/** Returns the number of days on which a program can have events, rounded up to whole intervals of the chart. */
function daysSince(dataSince: string, now: number): number {
  const age = Math.floor(now / DAY_MS) - Math.floor(Date.parse(dataSince) / DAY_MS) + 1;
  const days = age + MAX_REPORT_DELAY_DAYS;
  const interval = intervalDays(days);
  // During a rolling update, an older server does not send `data_since`. In that case, show the longest period.
  const whole = Math.ceil(days / interval) * interval || MAX_SERIES_DAYS;
  return Math.min(whole, Math.floor(MAX_SERIES_DAYS / interval) * interval);
}
