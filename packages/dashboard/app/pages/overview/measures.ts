import * as common from '#messages/common.ts';
import type { Series, SeriesReply } from '../../api/types.ts';
import type { ChartPoint } from '../../charts/line-chart.tsx';
import { formatMoney } from '../../format/money.ts';
import { formatCount } from '../../format/number.ts';
import { formatDate, formatDates, formatMonth, formatShortDate } from '../../format/time.ts';
import { intervalDays } from './period.ts';

/** The measures of the overview, in display order. */
export const MEASURES = [
  { name: 'clicks', text: common.clicks, isMoney: false },
  { name: 'leads', text: common.signUps, isMoney: false },
  { name: 'conversions', text: common.customers, isMoney: false },
  { name: 'sales', text: common.sales, isMoney: false },
  { name: 'revenue', text: common.revenue, isMoney: true },
  { name: 'commission', text: common.commission, isMoney: true },
] as const;

/** A value that is counted or summed up over time. */
export interface Measure<Name extends string = string> {
  /** Name in the API. */
  readonly name: Name;
  readonly text: string;
  readonly isMoney: boolean;
}

export type MeasureName = (typeof MEASURES)[number]['name'];
type OverviewMeasure = (typeof MEASURES)[number];

const DAY_MS = 86_400_000;
const YEAR_DAYS = 370;

/** Returns the measure in the URL. */
export function readMeasure(text: string | undefined): OverviewMeasure {
  return MEASURES.find(({ name }) => name === text) ?? MEASURES[0];
}

/**
 * Returns the measure by which partners or links are ranked. The API ranks links only by clicks, and partners
 * by every measure except customers.
 */
export function rankedBy(measure: OverviewMeasure, by: 'partner' | 'link'): OverviewMeasure {
  if (by === 'link') return readMeasure('clicks');
  return measure.name === 'conversions' ? readMeasure('sales') : measure;
}

/** Returns the currencies of the amounts. The program's currency comes first. */
export function currenciesOf(reply: Pick<SeriesReply, 'data'> | undefined, own: string): readonly string[] {
  const found = new Set<string>();
  for (const { currency, total, previous_total: before } of reply?.data.series ?? []) {
    if (currency !== null && (total !== 0 || before !== 0)) found.add(currency);
  }
  found.delete(own);
  return [own, ...[...found].sort()];
}

/** Returns the series of a measure. For an amount, it is the series in the given currency. */
export function seriesOf(
  { data }: Pick<SeriesReply, 'data'>,
  { name, isMoney }: Measure,
  currency: string,
): Series | undefined {
  return data.series.find(
    (series) => series.measure === name && series.currency === (isMoney ? currency : null),
  );
}

/** Formats the exact value of a measure. */
export function formatMeasure(value: number, { isMoney }: Measure, currency: string): string {
  return isMoney ? formatMoney(value, currency) : formatCount(value);
}

/** Returns the points of the chart. In a long range, a point covers a week or four weeks. */
export function pointsOf(
  times: readonly string[],
  series: Series | undefined,
  { hasBefore }: { readonly hasBefore: boolean },
): readonly ChartPoint[] {
  const size = intervalDays(times.length);
  const points: ChartPoint[] = [];
  for (let start = 0; start < times.length; start += size) {
    const first = times[start] ?? '';
    const last = times[Math.min(start + size, times.length) - 1] ?? first;
    points.push({
      label: size === 1 ? formatDate(first) : formatDates(first, last),
      axis: times.length > YEAR_DAYS ? formatMonth(first) : formatShortDate(first),
      value: sumOfInterval(series?.values, start, size),
      before: hasBefore ? sumOfInterval(series?.previous_values, start, size) : undefined,
    });
  }
  return points;
}

function sumOfInterval(values: readonly number[] = [], start: number, size: number): number {
  return values.slice(start, start + size).reduce((sum, value) => sum + value, 0);
}

/** Whether the last interval of the chart ends after `now`. */
export function isLastOpen(times: readonly string[], now: number = Date.now()): boolean {
  const last = times.at(-1);
  return last !== undefined && Date.parse(last) + DAY_MS > now;
}
