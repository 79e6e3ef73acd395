import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../domain/calendar.ts';
import { type Month, startOfMonth } from '../../domain/month.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/**
 * SQL for the time from which all clicks are stored. Earlier clicks may have been removed. The row of a
 * month is committed before its first click is removed. A statement that reads this time together with clicks can
 * therefore rely on it.
 */
const CLICKS_COMPLETE_FROM = sql<number>`(SELECT COALESCE(MAX(ends_at), 0) FROM removed_months)`;

/**
 * The clicks that a check of totals counts: all stored clicks, or only those of months from which no click was removed.
 * An import uses `stored`, because none of the clicks that it adds were counted before, not even those of
 * months that are marked as removed.
 */
export type CountedClicks = 'complete_months' | 'stored';

/** Builds SQL for the time of the first click to count. */
export function countedClicksFrom(clicks: CountedClicks): RawBuilder<number> {
  return clicks === 'stored' ? sql<number>`0` : CLICKS_COMPLETE_FROM;
}

/** @returns null when no clicks were removed */
export async function findClicksCompleteFrom(db: Kysely<Schema>): Promise<number | null> {
  const { from } = await db
    .selectFrom('removed_months')
    .select((eb) => eb.fn.max('ends_at').as('from'))
    .executeTakeFirstOrThrow();
  return from;
}

/** Whether the totals of a UTC day can be counted again from the clicks. */
export async function isDayCountable(
  db: Kysely<Schema>,
  day: number,
  clicks: CountedClicks,
): Promise<boolean> {
  return clicks === 'stored' || day * DAY_MS >= ((await findClicksCompleteFrom(db)) ?? 0);
}

export interface RemovedMonth {
  readonly month: Month;
  readonly clicks: number;
  readonly archiveSha256: string | null;
  /** The time at which the removal began. */
  readonly startedAt: number;
  readonly isComplete: boolean;
}

/** Lists the months whose clicks were removed, or are being removed. */
export async function listRemovedMonths(db: Kysely<Schema>): Promise<RemovedMonth[]> {
  const rows = await db.selectFrom('removed_months').selectAll().orderBy('month').execute();
  return rows.map((row) => ({
    month: row.month,
    clicks: row.clicks,
    archiveSha256: row.archive_sha256,
    startedAt: row.started_at,
    isComplete: row.removed_at !== null,
  }));
}

/**
 * Marks the month as being removed. Must be called before any of its clicks is removed. If the month is already marked,
 * the mark and its SHA-256 do not change.
 * @returns the start of the removal, or null if the mark has another `archiveSha256` or the removal is finished
 */
export async function markMonth(
  { db }: Transaction,
  { month, clicks, archiveSha256 }: Omit<RemovedMonth, 'isComplete' | 'startedAt'>,
  now: number,
): Promise<number | null> {
  await db
    .insertInto('removed_months')
    .values({
      month,
      ends_at: startOfMonth(month + 1),
      clicks,
      archive_sha256: archiveSha256,
      started_at: now,
      removed_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const mark = await db
    .selectFrom('removed_months')
    .select(['archive_sha256', 'started_at', 'removed_at'])
    .where('month', '=', month)
    .executeTakeFirstOrThrow();
  return mark.archive_sha256 === archiveSha256 && mark.removed_at === null ? mark.started_at : null;
}

export async function markMonthRemoved({ db }: Transaction, month: Month, now: number): Promise<void> {
  await db.updateTable('removed_months').set({ removed_at: now }).where('month', '=', month).execute();
}

/**
 * Removes the entry of a month from the removed months once all its clicks are back, for example after an import.
 * @param clicks the number of clicks that are stored, without test clicks
 * @returns whether the month is complete now
 */
export async function unmarkMonth({ db }: Transaction, month: Month, clicks: number): Promise<boolean> {
  const ofMonth = db.selectFrom('removed_months').select('month').where('month', '=', month);
  await db.deleteFrom('removed_months').where('month', '=', month).where('clicks', '<=', clicks).execute();
  return (await ofMonth.executeTakeFirst()) === undefined;
}

/** Returns the random id of the installation. The first call creates it. */
export async function findInstallationId({ db }: Transaction): Promise<string> {
  await db
    .insertInto('installation')
    .values({ id: 1, uuid: randomUUID() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { uuid } = await db.selectFrom('installation').select('uuid').executeTakeFirstOrThrow();
  return uuid;
}
