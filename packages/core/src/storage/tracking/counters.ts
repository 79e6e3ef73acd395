import { sql } from 'kysely';
import { utcDay } from '../../domain/calendar.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { insertRows } from '../database/rows.ts';
import type { DailyMeasure } from '../database/schema.ts';
import { hourlyTotalOwner, WHOLE_PROGRAM } from './total-owner.ts';

/** A value to add to a counter of a partner or link in a program. */
export interface CounterDelta {
  readonly programId: number;
  readonly subject: 'link' | 'partner';
  readonly subjectId: number;
  readonly measure: 'clicks' | 'leads' | 'conversions';
  readonly value: number;
  readonly at: number;
}

/** A value to add to the totals of a UTC day. */
export interface DailyDelta {
  readonly programId: number;
  /**
   * The value is added to the totals of this partner and of the program. If null, it is added only to the
   * program's totals.
   */
  readonly partnerId: number | null;
  readonly at: number;
  readonly measure: DailyMeasure;
  readonly value: number;
}

/** Returns the days whose totals are changed by the values. */
export function changedDaysOf(deltas: readonly DailyDelta[]): { programId: number; day: number }[] {
  return deltas.map(({ programId, at }) => ({ programId, day: utcDay(at) }));
}

/** The measures with hourly totals. The event list needs these totals. */
const HOURLY_TOTAL_MEASURES: readonly DailyMeasure[] = ['clicks', 'leads', 'sales'];

/**
 * Adds the values to the counters. A counter is the sum of several rows, one per slot. This writer adds to the rows of
 * its own slot. Other processes usually add to other slots, so that they do not wait for the same rows.
 */
export async function addCounters(tx: Transaction, deltas: readonly CounterDelta[]): Promise<void> {
  const rows = mergeByKey(
    deltas.map((delta) => ({
      program_id: delta.programId,
      subject: delta.subject,
      subject_id: delta.subjectId,
      measure: delta.measure,
      slot: tx.slot,
      value: delta.value,
      last_at: delta.at,
    })),
    ({ program_id, subject, subject_id, measure }) => [program_id, subject, subject_id, measure],
    (sum, { value, last_at }) => ({
      ...sum,
      value: sum.value + value,
      last_at: Math.max(sum.last_at, last_at),
    }),
  );
  await insertRows(
    tx,
    'counters',
    rows,
    sql`ON CONFLICT (program_id, subject, subject_id, measure, slot) DO UPDATE
      SET value = counters.value + excluded.value,
        last_at = CASE WHEN excluded.last_at > counters.last_at THEN excluded.last_at ELSE counters.last_at END`,
  );
}

/**
 * Adds each value to the program's total of the day. If there is a partner, also adds it to the partner's total. If the
 * measure has hourly totals, also adds it to the total of the hour. Like a counter, each total is the sum of several
 * rows, one per slot. This writer adds to the rows of its own slot.
 */
export async function addDailyTotals(tx: Transaction, deltas: readonly DailyDelta[]): Promise<void> {
  const rows = deltas
    .filter((delta) => delta.value !== 0)
    .flatMap((delta) => {
      const row = {
        program_id: delta.programId,
        day: utcDay(delta.at),
        measure: delta.measure,
        slot: tx.slot,
        value: delta.value,
      };
      const totalOwners = [WHOLE_PROGRAM];
      if (HOURLY_TOTAL_MEASURES.includes(delta.measure)) totalOwners.push(hourlyTotalOwner(delta.at));
      if (delta.partnerId !== null) totalOwners.push(delta.partnerId);
      return totalOwners.map((partner_id) => ({ ...row, partner_id }));
    });
  await insertRows(
    tx,
    'daily_totals',
    mergeByKey(
      rows,
      ({ program_id, partner_id, day, measure }) => [program_id, partner_id, day, measure],
      (sum, { value }) => ({ ...sum, value: sum.value + value }),
    ),
    sql`ON CONFLICT (program_id, partner_id, day, measure, slot) DO UPDATE
      SET value = daily_totals.value + excluded.value`,
  );
}

/**
 * Merges rows with the same key. The result is sorted by key, which is the order in which all transactions
 * lock the rows.
 */
export function mergeByKey<R>(
  rows: readonly R[],
  keyOf: (row: R) => readonly (number | string)[],
  add: (sum: R, row: R) => R,
): R[] {
  const sums = new Map<string, { key: readonly (number | string)[]; row: R }>();
  for (const row of rows) {
    const key = keyOf(row);
    const name = key.join(' ');
    const sum = sums.get(name);
    sums.set(name, { key, row: sum ? add(sum.row, row) : row });
  }
  return [...sums.values()].sort((a, b) => compareKeys(a.key, b.key)).map(({ row }) => row);
}

function compareKeys(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? '';
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
