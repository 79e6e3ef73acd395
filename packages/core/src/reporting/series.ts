import type { SeriesQuery } from '@affkit/protocol';
import { DAY_MS, isoTime, utcDay } from '../domain/calendar.ts';
import { countDays, type DayRange, previousDays } from '../domain/period.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import {
  type IntervalTotal,
  listTotalsByDay,
  listTotalsByHour,
  type MeasureName,
  SERIES_INTERVAL_MS,
} from '../storage/reads/series.ts';

type SeriesMeasure = NonNullable<SeriesQuery['measures']>[number];

const HOURLY_SERIES: readonly SeriesMeasure[] = ['clicks', 'leads', 'sales'];
const DAILY_SERIES: readonly SeriesMeasure[] = [
  ...HOURLY_SERIES,
  'conversions',
  'partners',
  'revenue',
  'commission',
];
const DEFAULT_SERIES_DAYS = 30;
/** The maximum number of days in a reply, by interval. */
const MAX_SERIES_DAYS = { day: 3_660, hour: 31 } as const;

/** Returns the name under which the totals store a measure. */
const storedNameOf = (measure: SeriesMeasure): MeasureName =>
  measure === 'conversions' ? 'first_purchases' : measure;

/**
 * Reads the values of each measure per interval, for a range and for the preceding range of equal length. It
 * reads only totals, so the cost does not depend on the number of events.
 */
export async function readSeries(
  runtime: Runtime,
  program: Pick<ProgramAccount, 'id' | 'currency'>,
  query: SeriesQuery,
) {
  const { unit, partner_id: partnerId = null } = query;
  const days = seriesDaysOf(query, runtime.now(), unit);
  if (isRejection(days)) return days;
  const previous = previousDays(days);
  const measures = query.measures ?? (unit === 'hour' ? HOURLY_SERIES : DAILY_SERIES);
  const names = measures.map(storedNameOf);
  const { read } = runtime.engine;
  const range = { from: previous.from, to: days.to };
  const totals =
    unit === 'hour'
      ? await listTotalsByHour(read, program.id, names, range)
      : await listTotalsByDay(read, program.id, partnerId, names, range);
  return seriesOf({ unit, days, previous, measures, totals, currency: program.currency });
}

/** Arranges totals by interval, with the totals of the preceding range. */
export function seriesOf({
  unit,
  days,
  previous,
  measures,
  totals,
  currency: programCurrency,
}: {
  readonly unit: 'day' | 'hour';
  readonly days: DayRange;
  readonly previous: DayRange;
  readonly measures: readonly SeriesMeasure[];
  readonly totals: readonly IntervalTotal[];
  /** The program's currency. An amount has one series per currency, beginning with this currency. */
  readonly currency: string;
}) {
  const perDay = DAY_MS / SERIES_INTERVAL_MS[unit];
  const length = countDays(days) * perDay;
  const first = days.from * perDay;
  const times = Array.from({ length }, (_, index) => isoTime((first + index) * SERIES_INTERVAL_MS[unit]));
  const series = measures.flatMap((measure) =>
    measureVariantsOf(measure, totals, programCurrency).map(({ key, currency }) => {
      const values = intervalValuesOf(totals, key, first - length, length * 2);
      const current = values.slice(length);
      const before = values.slice(0, length);
      return {
        measure,
        currency,
        values: current,
        total: sumValues(current),
        previous_values: before,
        previous_total: sumValues(before),
      };
    }),
  );
  return {
    data: { unit, times, series },
    meta: { ...seriesBoundsOf(days), previous: seriesBoundsOf(previous) },
  };
}

/**
 * Determines the days of a query. `dateTo` defaults to today. With hourly intervals, `dateFrom` defaults to
 * `dateTo`; otherwise, it defaults to 29 days before `dateTo`.
 * @returns a rejection for a range whose reply would be too large
 */
export function seriesDaysOf(
  query: { readonly dateFrom?: number | undefined; readonly dateTo?: number | undefined },
  now: number,
  unit: 'day' | 'hour' = 'day',
): DayRange | Rejection {
  const length = unit === 'hour' ? 1 : DEFAULT_SERIES_DAYS;
  const to = utcDay(query.dateTo ?? Math.max(now, query.dateFrom ?? now));
  const days = { from: query.dateFrom === undefined ? to - length + 1 : utcDay(query.dateFrom), to };
  if (countDays(days) <= MAX_SERIES_DAYS[unit]) return days;
  const suffix = unit === 'hour' ? ' with unit=hour' : '';
  return new Rejection(
    'invalid_field',
    `dateFrom and dateTo may span at most ${MAX_SERIES_DAYS[unit]} days${suffix}. dateTo defaults to today.`,
  );
}

export function seriesBoundsOf({ from, to }: DayRange) {
  return { date_from: isoTime(from * DAY_MS), date_to: isoTime((to + 1) * DAY_MS - 1) };
}

/**
 * Returns the variants of a measure. An amount has one variant per currency, starting with the program's
 * currency. Any other measure has a single variant.
 */
function measureVariantsOf(
  measure: SeriesMeasure,
  totals: readonly IntervalTotal[],
  programCurrency: string,
) {
  if (measure !== 'revenue' && measure !== 'commission')
    return [{ key: storedNameOf(measure), currency: null }];
  const found = totals.flatMap((total) => {
    const [name, currency] = total.measure.split(':');
    return name === measure && currency !== undefined && total.value !== 0 ? [currency] : [];
  });
  const others = [...new Set(found)].filter((currency) => currency !== programCurrency).sort();
  return [programCurrency, ...others].map((currency) => ({ key: `${measure}:${currency}`, currency }));
}

function intervalValuesOf(
  totals: readonly IntervalTotal[],
  key: string,
  first: number,
  length: number,
): number[] {
  const values = Array<number>(length).fill(0);
  for (const { interval, measure, value } of totals) {
    if (measure === key) values[interval - first] = value;
  }
  return values;
}

function sumValues(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
