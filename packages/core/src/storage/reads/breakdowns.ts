import { type Kysely, type SqlBool, sql } from 'kysely';
import { type BreakdownTotal, DIMENSIONS, type Dimension } from '../../domain/breakdown.ts';
import { DAY_MS } from '../../domain/calendar.ts';
import type { DayRange } from '../../domain/period.ts';
import type { Engine, Transaction } from '../database/engine/engine.ts';
import { inlineTable, insertRows } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import { isInProgramOf } from '../database/split-by-program.ts';
import { type CountedClicks, countedClicksFrom } from '../tracking/removed-months.ts';
import type { BreakdownEventIds } from './breakdown-events.ts';
import { lockProgress } from './lock-progress.ts';
import { sinceCounted } from './uncounted-clicks.ts';

/** The progress of counting the events of a program. */
export interface BreakdownProgress {
  readonly ids: BreakdownEventIds;
  /**
   * All events that were stored before this time are counted. Null until all existing events have been
   * counted once.
   */
  readonly asOf: number | null;
}

const NO_PROGRESS: BreakdownProgress = { ids: { click: 0, lead: 0, sale: 0 }, asOf: null };

/**
 * Returns the key of a program's progress. On SQLite, ids are indexed and increase in the order of commits,
 * so a single progress row for all programs is enough.
 */
export function breakdownProgressKey(dialect: Engine['dialect'], programId: number): number {
  return dialect === 'sqlite' ? 0 : programId;
}

export async function findBreakdownProgress(db: Kysely<Schema>, key: number): Promise<BreakdownProgress> {
  const row = await db
    .selectFrom('breakdown_progress')
    .selectAll()
    .where('program_id', '=', key)
    .executeTakeFirst();
  return row
    ? { ids: { click: row.click_id, lead: row.lead_id, sale: row.sale_id }, asOf: row.as_of }
    : NO_PROGRESS;
}

/**
 * Locks the progress until the transaction ends.
 * @returns null when another process holds the lock and `waits` is false
 */
export async function lockBreakdownProgress(
  tx: Transaction,
  key: number,
  waits = false,
): Promise<BreakdownProgress | null> {
  const empty = { program_id: key, click_id: 0, lead_id: 0, sale_id: 0, as_of: null };
  await tx.db
    .insertInto('breakdown_progress')
    .values(empty)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const isLocked = await lockProgress(tx, 'breakdown_progress', key, waits);
  return isLocked ? findBreakdownProgress(tx.db, key) : null;
}

export async function saveBreakdownProgress(
  tx: Transaction,
  key: number,
  { ids, asOf }: BreakdownProgress,
): Promise<void> {
  await tx.db
    .updateTable('breakdown_progress')
    .set({ click_id: ids.click, lead_id: ids.lead, sale_id: ids.sale, as_of: asOf })
    .where('program_id', '=', key)
    .execute();
}

/**
 * Lists the progress keys (see `breakdownProgressKey`) of programs that have uncounted events. The query compares the
 * highest ids, which Postgres finds with an index. With EXISTS, Postgres would expect to find a match soon, so it might
 * choose a scan and read all events. The order is random. In the order of ids, programs with low ids and constant
 * traffic would keep the others waiting forever.
 */
export async function findUncountedPrograms(
  { dialect, read }: Engine,
  settled: BreakdownEventIds,
  limit: number,
): Promise<number[]> {
  if (dialect === 'sqlite') {
    const { ids } = await findBreakdownProgress(read, 0);
    const isBehind = ids.click < settled.click || ids.lead < settled.lead || ids.sale < settled.sale;
    return isBehind ? [0] : [];
  }
  const { rows } = await sql<{ id: number }>`SELECT p.program_id AS id FROM program_shards AS p
    LEFT JOIN breakdown_progress AS b ON b.program_id = p.program_id
    WHERE (SELECT MAX(e.id) FROM click_events AS e WHERE e.program_id = p.program_id AND e.id <= ${settled.click}
        AND e.id > COALESCE(b.click_id, 0) ${sinceCounted(sql`b.as_of`)}) IS NOT NULL
      OR (SELECT MAX(e.id) FROM lead_events AS e WHERE e.program_id = p.program_id AND e.id <= ${settled.lead})
        > COALESCE(b.lead_id, 0)
      OR (SELECT MAX(e.id) FROM sales AS e WHERE e.program_id = p.program_id AND e.id <= ${settled.sale})
        > COALESCE(b.sale_id, 0)
    ORDER BY random() LIMIT ${limit}`.execute(read);
  return rows.map(({ id }) => id);
}

/**
 * Whether all currently stored events of the program have been counted. On SQLite, the events of all programs are
 * checked at once.
 */
export async function isBreakdownCaughtUp(
  { read, dialect }: Engine,
  programId: number,
  { ids, asOf }: BreakdownProgress,
): Promise<boolean> {
  // Compare the highest ids, as `findUncountedPrograms` does.
  const ofProgram = dialect === 'sqlite' ? sql`` : sql`WHERE program_id = ${programId}`;
  const clicks =
    dialect === 'sqlite'
      ? sql`SELECT MAX(id) FROM click_events`
      : sql`SELECT MAX(e.id) FROM click_events AS e WHERE e.program_id = ${programId} AND e.id > ${ids.click}
          ${sinceCounted(asOf)}`;
  const { rows } = await sql`SELECT 1 WHERE (${clicks}) > ${ids.click}
    OR (SELECT MAX(id) FROM lead_events ${ofProgram}) > ${ids.lead}
    OR (SELECT MAX(id) FROM sales ${ofProgram}) > ${ids.sale}`.execute(read);
  return rows.length === 0;
}

type StoredValue = Omit<BreakdownTotal, 'measure' | 'total'>;

/**
 * Lists the values for which a row is stored on the given days. A row with `isOther` sums up all values that have no
 * separate row.
 */
export async function listBreakdownValues(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  days: readonly { readonly programId: number; readonly day: number }[],
): Promise<StoredValue[]> {
  if (days.length === 0) return [];
  const keys = days.flatMap(({ programId, day }) =>
    DIMENSIONS.map((dimension) => ({ program_id: programId, dimension, day })),
  );
  const columns = { program_id: 'integer', dimension: 'text', day: 'integer' } as const;
  const { rows } = await sql<{
    program_id: number;
    dimension: Dimension;
    day: number;
    is_other: number;
    value: string;
  }>`SELECT DISTINCT b.program_id, b.dimension, b.day, b.is_other, b.value
    FROM ${inlineTable({ dialect }, 'k', columns, keys)} CROSS JOIN breakdowns AS b
    WHERE ${isInProgramOf(days, 'b.program_id')} AND b.program_id = k.program_id AND b.dimension = k.dimension AND b.day = k.day`.execute(
    db,
  );
  return rows.map(({ program_id: programId, is_other, ...row }) => ({
    ...row,
    programId,
    isOther: is_other === 1,
  }));
}

export async function addBreakdownTotals(tx: Transaction, totals: readonly BreakdownTotal[]): Promise<void> {
  await insertRows(
    tx,
    'breakdowns',
    totals.map(({ programId, isOther, ...row }) => ({
      program_id: programId,
      dimension: row.dimension,
      day: row.day,
      is_other: isOther ? 1 : 0,
      value: row.value,
      measure: row.measure,
      total: row.total,
    })),
    sql`ON CONFLICT (program_id, dimension, day, is_other, value, measure)
      DO UPDATE SET total = breakdowns.total + excluded.total`,
  );
}

/** Replaces all breakdown totals of a program on a day. */
export async function replaceBreakdownDay(
  tx: Transaction,
  { programId, day }: { readonly programId: number; readonly day: number },
  totals: readonly BreakdownTotal[],
): Promise<void> {
  await tx.db
    .deleteFrom('breakdowns')
    .where('program_id', '=', programId)
    .where('dimension', 'in', DIMENSIONS)
    .where('day', '=', day)
    .execute();
  await addBreakdownTotals(tx, totals);
}

export async function listBreakdownTotalsOfDay(
  db: Kysely<Schema>,
  programId: number,
  day: number,
): Promise<BreakdownTotal[]> {
  const rows = await db
    .selectFrom('breakdowns')
    .selectAll()
    .where('program_id', '=', programId)
    .where('dimension', 'in', DIMENSIONS)
    .where('day', '=', day)
    .execute();
  return rows.map(({ program_id, is_other, ...row }) => ({
    ...row,
    programId: program_id,
    isOther: is_other === 1,
  }));
}

/**
 * Lists the days on which the program has events or stored totals, in ascending order. With `complete_months`, days
 * whose clicks were removed are left out, because their totals cannot be counted again.
 */
export async function listBreakdownDays(
  db: Kysely<Schema>,
  programId: number,
  clicks: CountedClicks,
): Promise<number[]> {
  const isComplete = sql<SqlBool>`day >= ${countedClicksFrom(clicks)} / ${sql.lit(DAY_MS)}`;
  const stored = await db
    .selectFrom('breakdowns')
    .select('day')
    .distinct()
    .where('program_id', '=', programId)
    .where(isComplete)
    .execute();
  const counted = await db
    .selectFrom('daily_totals')
    .select('day')
    .distinct()
    .where('program_id', '=', programId)
    .where(isComplete)
    .where('measure', 'in', ['clicks', 'leads', 'sales'])
    .execute();
  return [...new Set([...stored, ...counted].map(({ day }) => day))].sort((a, b) => a - b);
}

/** A value of a breakdown, and the sum of one measure over a range of days. */
export type BreakdownSum = Pick<BreakdownTotal, 'isOther' | 'value' | 'measure' | 'total'>;

/**
 * Sums up a dimension over a range of days. The cost depends on the number of days and values, but not on the
 * number of events.
 */
export async function sumBreakdown(
  db: Kysely<Schema>,
  programId: number,
  dimension: Dimension,
  days: DayRange,
): Promise<BreakdownSum[]> {
  const rows = await db
    .selectFrom('breakdowns')
    .select((eb) => ['is_other', 'value', 'measure', eb.fn.sum<number>('total').as('total')])
    .where('program_id', '=', programId)
    .where('dimension', '=', dimension)
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .groupBy(['is_other', 'value', 'measure'])
    .execute();
  return rows.map(({ is_other, value, measure, total }) => ({
    isOther: is_other === 1,
    value,
    measure,
    total: Number(total),
  }));
}
