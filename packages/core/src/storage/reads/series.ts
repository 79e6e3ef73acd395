import { type Kysely, type SqlBool, sql } from 'kysely';
import { HOUR_MS } from '../../domain/calendar.ts';
import type { DayRange } from '../../domain/period.ts';
import type { DailyMeasure, Schema } from '../database/schema.ts';
import { HOURLY_TOTAL_OWNERS, HOURS, WHOLE_PROGRAM } from '../tracking/total-owner.ts';

/**
 * The total of a measure in an interval. `interval` is the number of the UTC day or of the hour since the
 * epoch.
 */
export interface IntervalTotal {
  readonly interval: number;
  readonly measure: DailyMeasure;
  readonly value: number;
}

/** The name of a measure. For an amount, it does not include the currency. */
type MeasureName = 'clicks' | 'leads' | 'first_purchases' | 'sales' | 'partners' | 'revenue' | 'commission';

/** Lists the daily totals of a partner. If the partner is null, it lists the totals of the whole program. */
export async function listTotalsByDay(
  db: Kysely<Schema>,
  programId: number,
  partnerId: number | null,
  names: readonly MeasureName[],
  days: DayRange,
): Promise<IntervalTotal[]> {
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['day as interval', 'measure', eb.fn.sum<number>('value').as('value')])
    .where('program_id', '=', programId)
    .where('partner_id', '=', partnerId ?? WHOLE_PROGRAM)
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .where((where) =>
      where.or(
        names.map((name) =>
          name === 'revenue' || name === 'commission'
            ? sql<SqlBool>`measure LIKE ${`${name}:%`}`
            : where('measure', '=', name),
        ),
      ),
    )
    .groupBy(['day', 'measure'])
    .execute();
  return rows.map((row) => ({ ...row, value: Number(row.value) }));
}

/** Lists the program's hourly totals on these days. Only clicks, leads and sales have hourly totals. */
export async function listTotalsByHour(
  db: Kysely<Schema>,
  programId: number,
  names: readonly MeasureName[],
  days: DayRange,
): Promise<IntervalTotal[]> {
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['day', 'partner_id', 'measure', eb.fn.sum<number>('value').as('value')])
    .where('program_id', '=', programId)
    .where('partner_id', 'in', [...HOURLY_TOTAL_OWNERS])
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .where('measure', 'in', names as readonly ('clicks' | 'leads' | 'sales')[])
    .groupBy(['day', 'partner_id', 'measure'])
    .execute();
  return rows.map(({ day, partner_id, measure, value }) => ({
    interval: day * HOURS - 1 - partner_id,
    measure,
    value: Number(value),
  }));
}

export const SERIES_INTERVAL_MS = { day: HOURS * HOUR_MS, hour: HOUR_MS } as const;
export type { MeasureName };
