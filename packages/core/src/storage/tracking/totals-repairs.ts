import type { Transaction } from '../database/engine/engine.ts';
import { type CounterDelta, mergeByKey } from './counters.ts';

export interface ProgramDay {
  readonly programId: number;
  /** UTC days since the epoch. */
  readonly day: number;
}

/** A day whose totals must be repaired, with the amounts to add to the counters. */
export interface TotalsRepair extends ProgramDay {
  readonly counters: readonly CounterDelta[];
}

/**
 * Schedules repairs of daily totals and counters, in the transaction that stores the events. Each day of a program
 * has at most one repair. Later calls add their amounts to this repair.
 */
export async function enqueueTotalsRepairs(
  tx: Transaction,
  repairs: readonly TotalsRepair[],
  now: number,
): Promise<void> {
  // Sort the repairs, because all transactions must lock the rows in the same order.
  const sorted = repairs.toSorted((a, b) => a.programId - b.programId || a.day - b.day);
  for (const { programId, day, counters } of sorted) {
    const row = { program_id: programId, kind: 'repair_totals' as const, subject_id: day };
    const { id, payload } = await tx.db
      .insertInto('outbox')
      .values({ ...row, payload: writeRepair([]), attempts: 0, run_at: now, created_at: now })
      // Setting the same value changes nothing, but locks the existing row. If a job is deleting the row at
      // the same time, the insert waits and then succeeds.
      .onConflict((conflict) =>
        conflict
          .columns(['program_id', 'kind', 'subject_id'])
          .doUpdateSet(({ ref }) => ({ attempts: ref('outbox.attempts') })),
      )
      .returning(['id', 'payload'])
      .executeTakeFirstOrThrow();
    const merged = mergeCounters([...readRepair(payload), ...counters]);
    await tx.db
      .updateTable('outbox')
      .set({ payload: writeRepair(merged) })
      .where('id', '=', id)
      .execute();
  }
}

/** Reads the payload of a `repair_totals` row. @returns the amounts to add to the counters */
export function readRepair(payload: string): readonly CounterDelta[] {
  return (JSON.parse(payload) as { counters: CounterDelta[] }).counters;
}

function writeRepair(counters: readonly CounterDelta[]): string {
  return JSON.stringify({ counters });
}

function mergeCounters(deltas: readonly CounterDelta[]): CounterDelta[] {
  return mergeByKey(
    deltas,
    ({ programId, subject, subjectId, measure }) => [programId, subject, subjectId, measure],
    (sum, { value, at }) => ({ ...sum, value: sum.value + value, at: Math.max(sum.at, at) }),
  );
}
