import type { Kysely } from 'kysely';
import type { DayRange } from '../../domain/period.ts';
import type { DailyMeasure, Schema } from '../database/schema.ts';
import { WHOLE_PROGRAM } from '../tracking/total-owner.ts';

/** What a program's events of one UTC day add up to in one measure. */
export interface DailyTotal {
  readonly day: number;
  readonly measure: DailyMeasure;
  readonly value: number;
}

/** The program's totals of those days, in no order. Its cost grows with the days, whatever lies behind them. */
export async function listDailyTotals(
  db: Kysely<Schema>,
  programId: number,
  days: DayRange,
): Promise<DailyTotal[]> {
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['day', 'measure', eb.fn.sum<number>('value').as('value')])
    .where('program_id', '=', programId)
    .where('partner_id', '=', WHOLE_PROGRAM)
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .groupBy(['day', 'measure'])
    .execute();
  return rows.map((row) => ({ ...row, value: Number(row.value) }));
}

/** The first day that has a total which is not 0; null before the program's first event. */
export async function findFirstDay(db: Kysely<Schema>, programId: number): Promise<number | null> {
  const row = await db
    .selectFrom('daily_totals')
    .select('day')
    .where('program_id', '=', programId)
    .where('partner_id', '=', WHOLE_PROGRAM)
    .groupBy(['day', 'measure'])
    .having((eb) => eb.fn.sum('value'), '<>', 0)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
  return row?.day ?? null;
}
