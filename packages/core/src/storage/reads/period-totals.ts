import { type Kysely, sql } from 'kysely';
import type { DayRange } from '../../domain/period.ts';
import type { DailyMeasure, Schema } from '../database/schema.ts';

/** The number of days in a row of `period_totals`. */
const DAYS_PER_PERIOD = 28;

/** A ranking of the partners or links of a program by a measure. */
export interface RankedTotals {
  readonly programId: number;
  readonly owner: 'partner' | 'link';
  readonly measure: DailyMeasure;
}

/** The id of a partner or link, and its value. */
export interface RankedRow {
  readonly id: number;
  readonly value: number;
}

/** The first and the last period of a range. Periods are numbered from the epoch. */
interface PeriodRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Splits a range into whole periods and the days before and after them. `periods` is null if the range
 * contains no whole period.
 */
export function splitByPeriods({ from, to }: DayRange): {
  readonly periods: PeriodRange | null;
  readonly days: readonly DayRange[];
} {
  const periods = { from: Math.ceil(from / DAYS_PER_PERIOD), to: Math.floor((to + 1) / DAYS_PER_PERIOD) - 1 };
  if (periods.from > periods.to) return { periods: null, days: [{ from, to }] };
  const whole = daysOf(periods);
  const days = [
    { from, to: whole.from - 1 },
    { from: whole.to + 1, to },
  ];
  return { periods, days: days.filter((range) => range.from <= range.to) };
}

export function daysOf({ from, to }: PeriodRange): DayRange {
  return { from: from * DAYS_PER_PERIOD, to: (to + 1) * DAYS_PER_PERIOD - 1 };
}

/** Finds the periods that overlap the range and may have totals. Returns null if there are none. */
export async function findPeriods(
  db: Kysely<Schema>,
  { programId, owner, measure }: RankedTotals,
  days: DayRange,
): Promise<PeriodRange | null> {
  const end = (order: 'asc' | 'desc') => sql`(SELECT period FROM period_totals
    WHERE program_id = ${programId} AND owner = ${owner} AND measure = ${measure}
    ORDER BY period ${sql.raw(order)} LIMIT 1)`;
  const { rows } = await sql<{ first: number | null; last: number | null }>`SELECT
    ${end('asc')} AS first, ${end('desc')} AS last`.execute(db);
  const { first = null, last = null } = rows[0] ?? {};
  if (first === null || last === null) return null;
  const from = Math.max(first, Math.floor(days.from / DAYS_PER_PERIOD));
  const to = Math.min(last, Math.floor(days.to / DAYS_PER_PERIOD));
  return from <= to ? { from, to } : null;
}

/**
 * Finds the owners of the `size` highest totals in each period.
 * @returns the ids of these owners, and the highest sum that any other owner can have in these periods; 0
 * when there are no other owners
 */
export async function listHighestTotals(
  db: Kysely<Schema>,
  { programId, owner, measure }: RankedTotals,
  { from, to }: PeriodRange,
  size: number,
): Promise<{ ids: readonly number[]; limitOfOthers: number }> {
  const lists = Array.from(
    { length: to - from + 1 },
    (_, index) => sql`SELECT * FROM (SELECT period, owner_id AS id, value FROM period_totals
      WHERE program_id = ${programId} AND owner = ${owner} AND measure = ${measure} AND period = ${from + index}
      ORDER BY value DESC LIMIT ${size}) AS ${sql.ref(`list${index}`)}`,
  );
  const { rows } = await sql<RankedRow & { period: number }>`${sql.join(lists, sql` UNION ALL `)}`.execute(
    db,
  );
  const byPeriod = Map.groupBy(rows, ({ period }) => period);
  let limitOfOthers = 0;
  for (const list of byPeriod.values()) {
    // If the list is full, the total of any other owner is at most the lowest total in the list.
    if (list.length === size)
      limitOfOthers += Math.max(0, Math.min(...list.map(({ value }) => Number(value))));
  }
  return { ids: rows.map(({ id }) => id), limitOfOthers };
}
