import type { Kysely } from 'kysely';
import type { DayRange } from '../../domain/period.ts';
import type { DailyMeasure, Schema } from '../database/schema.ts';
import { WHOLE_PROGRAM } from '../tracking/total-owner.ts';

export interface DailyTotal {
  readonly day: number;
  readonly measure: DailyMeasure;
  readonly value: number;
}

/**
 * Lists the program's daily totals on the given days, in any order. The cost depends on the number of days, but not on
 * the number of events.
 */
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

/**
 * Returns the first day with a nonzero total, or null when there are no events. Usually reads only that day.
 * @param owner a partner. If missing, the whole program counts
 */
export async function findFirstDay(
  db: Kysely<Schema>,
  programId: number,
  owner: number = WHOLE_PROGRAM,
): Promise<number | null> {
  const row = await db
    .selectFrom('daily_totals')
    .select('day')
    .where('program_id', '=', programId)
    .where('partner_id', '=', owner)
    .groupBy(['day', 'measure'])
    .having((eb) => eb.fn.sum('value'), '<>', 0)
    // Sort by the same columns as GROUP BY. Otherwise, SQLite would sum all days before it sorts them.
    .orderBy('day')
    .orderBy('measure')
    .limit(1)
    .executeTakeFirst();
  return row?.day ?? null;
}
