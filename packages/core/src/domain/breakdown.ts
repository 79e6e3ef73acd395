import { utcDay } from './calendar.ts';

export const DIMENSIONS = ['country', 'referrer_host', 'device', 'os', 'browser', 'page'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/**
 * The maximum number of values that get their own row, per program, day and dimension. An additional row sums
 * up all other values.
 */
const MAX_VALUES: Readonly<Record<Dimension, number>> = {
  country: 250,
  referrer_host: 100,
  device: 100,
  os: 100,
  browser: 100,
  page: 100,
};
/**
 * The maximum number of values per day and dimension that a recount keeps in memory. From these, the recount then
 * selects the values with the most clicks.
 */
const MAX_RANKED_VALUES = 20_000;
const MAX_VALUE_LENGTH = 255;

export type BreakdownMeasure = 'clicks' | 'leads' | 'sales' | `revenue:${string}`;

/** The columns of a click that the dimensions are derived from. */
export interface BreakdownVisit {
  readonly geo_country: string | null;
  readonly referrer_url: string | null;
  readonly device_type: string | null;
  readonly device_os: string | null;
  readonly browser_name: string | null;
  readonly page_url: string | null;
}

/**
 * An event, and the click that determines the country, referrer, device, and page under which the event is
 * counted. That click is the first click of the event's customer, or the event itself if the event is a click.
 */
export interface BreakdownEvent {
  readonly programId: number;
  readonly at: number;
  readonly amounts: readonly (readonly [measure: BreakdownMeasure, amount: number])[];
  readonly visit: BreakdownVisit;
}

/** A row of a breakdown. `value` is empty if the value is unknown or if `isOther` is true. */
export interface BreakdownTotal {
  readonly programId: number;
  readonly dimension: Dimension;
  /** UTC days since the epoch. */
  readonly day: number;
  readonly isOther: boolean;
  readonly value: string;
  readonly measure: BreakdownMeasure;
  readonly total: number;
}

type BreakdownKey = Pick<BreakdownTotal, 'programId' | 'dimension' | 'day'>;

/** The values of one program, day and dimension. */
interface BreakdownSlice extends BreakdownKey {
  readonly sums: Map<string, Map<BreakdownMeasure, number>>;
  readonly other: Map<BreakdownMeasure, number>;
  /** The values that have their own row. */
  readonly names: Set<string>;
  /**
   * Whether every new value is counted in the row for other values. True as soon as one value is counted there.
   */
  isClosed: boolean;
}

/**
 * Sums up events by program, day, dimension and value. Each event is counted exactly once per dimension,
 * either in the row of its value or in the row for other values.
 */
export class BreakdownSums {
  readonly #slices = new Map<string, BreakdownSlice>();
  readonly #maxValues: (dimension: Dimension) => number;

  /** @param stored the existing rows, which determine the values that already have their own row */
  constructor(
    stored: readonly Omit<BreakdownTotal, 'measure' | 'total'>[] = [],
    maxValues: (dimension: Dimension) => number = (dimension) => MAX_VALUES[dimension],
  ) {
    this.#maxValues = maxValues;
    for (const row of stored) {
      const slice = this.#slice(row);
      if (row.isOther) slice.isClosed = true;
      else slice.names.add(row.value);
    }
  }

  add({ programId, at, amounts, visit }: BreakdownEvent): void {
    const day = utcDay(at);
    for (const dimension of DIMENSIONS) {
      const slice = this.#slice({ programId, dimension, day });
      const sums = this.#sumsOf(slice, DIMENSION_VALUES[dimension](visit) ?? '');
      for (const [measure, amount] of amounts) {
        if (amount !== 0) sums.set(measure, (sums.get(measure) ?? 0) + amount);
      }
    }
  }

  totals(): BreakdownTotal[] {
    return [...this.#slices.values()].flatMap((slice) => {
      const named = [...slice.sums].flatMap(([value, sums]) => breakdownTotalsOf(slice, value, false, sums));
      return [...named, ...breakdownTotalsOf(slice, '', true, slice.other)];
    });
  }

  #slice({ programId, dimension, day }: BreakdownKey): BreakdownSlice {
    const name = `${programId}:${dimension}:${day}`;
    const existing = this.#slices.get(name);
    if (existing) return existing;
    const slice = {
      programId,
      dimension,
      day,
      sums: new Map(),
      other: new Map(),
      names: new Set<string>(),
      isClosed: false,
    };
    this.#slices.set(name, slice);
    return slice;
  }

  #sumsOf(slice: BreakdownSlice, value: string): Map<BreakdownMeasure, number> {
    const { names, sums, other, dimension } = slice;
    if (!names.has(value)) {
      if (slice.isClosed || names.size >= this.#maxValues(dimension)) {
        slice.isClosed = true;
        return other;
      }
      names.add(value);
    }
    let sumsOfValue = sums.get(value);
    if (!sumsOfValue) {
      sumsOfValue = new Map();
      sums.set(value, sumsOfValue);
    }
    return sumsOfValue;
  }
}

/** Sums up the events of one day. The values with the most clicks get their own rows. */
export class DayRecount {
  readonly #sums = new BreakdownSums([], () => MAX_RANKED_VALUES);

  add(event: BreakdownEvent): void {
    this.#sums.add(event);
  }

  totals(): BreakdownTotal[] {
    const byDimension = Map.groupBy(this.#sums.totals(), ({ dimension }) => dimension);
    return [...byDimension].flatMap(([dimension, totals]) => keepLargest(totals, MAX_VALUES[dimension]));
  }
}

function keepLargest(totals: readonly BreakdownTotal[], maxValues: number): BreakdownTotal[] {
  const clicks = new Map<string, number>();
  for (const { isOther, value, measure, total } of totals) {
    if (!isOther) clicks.set(value, (clicks.get(value) ?? 0) + (measure === 'clicks' ? total : 0));
  }
  const largest = [...clicks].sort(([, a], [, b]) => b - a).slice(0, maxValues);
  const kept = new Set(largest.map(([value]) => value));
  const merged = new Map<string, BreakdownTotal>();
  for (const row of totals) {
    const isOther = row.isOther || !kept.has(row.value);
    const value = isOther ? '' : row.value;
    const name = `${isOther}:${row.measure}:${value}`;
    merged.set(name, { ...row, isOther, value, total: row.total + (merged.get(name)?.total ?? 0) });
  }
  return [...merged.values()];
}

function breakdownTotalsOf(
  { programId, dimension, day }: BreakdownKey,
  value: string,
  isOther: boolean,
  sums: ReadonlyMap<BreakdownMeasure, number>,
): BreakdownTotal[] {
  return [...sums].map(([measure, total]) => ({ programId, dimension, day, isOther, value, measure, total }));
}

const DIMENSION_VALUES: Readonly<Record<Dimension, (visit: BreakdownVisit) => string | null>> = {
  country: (visit) => truncateValue(visit.geo_country),
  referrer_host: (visit) => truncateValue(parseUrl(visit.referrer_url)?.host),
  device: (visit) => truncateValue(visit.device_type),
  os: (visit) => truncateValue(visit.device_os),
  browser: (visit) => truncateValue(visit.browser_name),
  page: (visit) => {
    const url = parseUrl(visit.page_url);
    return url && truncateValue(url.origin + url.pathname);
  },
};

function parseUrl(text: string | null): URL | null {
  return text === null ? null : URL.parse(text);
}

function truncateValue(value: string | null | undefined): string | null {
  return value === null || value === undefined ? null : value.slice(0, MAX_VALUE_LENGTH).toWellFormed();
}
