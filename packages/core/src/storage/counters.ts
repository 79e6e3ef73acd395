import { sql } from 'kysely';
import { utcDay } from '../domain/calendar.ts';
import type { Transaction } from './engine/engine.ts';
import type { DailyMeasure } from './schema.ts';
import { hourOwner, WHOLE_PROGRAM } from './total-owner.ts';

/** What an event adds to a partner's counters in a program. */
export interface CounterDelta {
  readonly programId: number;
  readonly partnerId: number;
  readonly measure: 'leads' | 'conversions';
  readonly at: number;
}

/** What an event adds to the totals of its UTC day. */
export interface DailyDelta {
  readonly programId: number;
  /** Null adds to the program alone, a partner to both. */
  readonly partnerId: number | null;
  readonly at: number;
  readonly measure: DailyMeasure;
  readonly value: number;
}

/** What the event list counts by the hour. */
const HOURLY: readonly DailyMeasure[] = ['clicks', 'leads', 'sales'];

/** Adds 1 to each counter, in this writer's slot. */
export async function addCounters(tx: Transaction, deltas: readonly CounterDelta[]): Promise<void> {
  for (const delta of deltas) {
    await tx.db
      .insertInto('counters')
      .values({
        program_id: delta.programId,
        subject: 'partner',
        subject_id: delta.partnerId,
        measure: delta.measure,
        slot: tx.slot,
        value: 1,
        last_at: delta.at,
      })
      .onConflict((conflict) =>
        conflict.columns(['program_id', 'subject', 'subject_id', 'measure', 'slot']).doUpdateSet({
          value: sql`counters.value + excluded.value`,
          last_at: sql`CASE WHEN excluded.last_at > counters.last_at THEN excluded.last_at ELSE counters.last_at END`,
        }),
      )
      .execute();
  }
}

/** Adds to the daily totals of the program, its hour and, where there is one, the partner, in one fixed order of rows. */
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
      const owners = [WHOLE_PROGRAM];
      if (HOURLY.includes(delta.measure)) owners.push(hourOwner(delta.at));
      if (delta.partnerId !== null) owners.push(delta.partnerId);
      return owners.map((partner_id) => ({ ...row, partner_id }));
    })
    .sort(
      (a, b) =>
        a.program_id - b.program_id ||
        a.partner_id - b.partner_id ||
        a.day - b.day ||
        (a.measure < b.measure ? -1 : Number(a.measure > b.measure)),
    );
  if (rows.length === 0) return;
  await tx.db
    .insertInto('daily_totals')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['program_id', 'partner_id', 'day', 'measure', 'slot'])
        .doUpdateSet({ value: sql`daily_totals.value + excluded.value` }),
    )
    .execute();
}
