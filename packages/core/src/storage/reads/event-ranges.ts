import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../domain/calendar.ts';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Engine } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import { HOURLY_TOTAL_OWNERS, WHOLE_PROGRAM } from '../tracking/total-owner.ts';
import { type EventSource, eventsBetween } from './event-sources.ts';
import { listLinkClicks } from './link-clicks.ts';

/** A time range with inclusive bounds, and the number of events in it. */
export interface CountedRange {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The events of a program that a list contains. */
export interface ListedEvents {
  readonly programId: number;
  /**
   * The owner of the daily totals that count these events: a partner's id, or `WHOLE_PROGRAM`. Null if no
   * daily totals count them.
   */
  readonly totalOwner: number | null;
  /** Set if all listed events are clicks on this link. */
  readonly linkId?: number | undefined;
  readonly sources: readonly EventSource[];
}

/**
 * Splits a time range into ranges that contain events, newest first. For whole days, the number of events
 * comes from the daily totals, or from the daily clicks of the link. The events of the partial days at both
 * ends are counted with an index. There are no totals of events by sub-id, so a list by sub-id has only one
 * range.
 */
export async function listEventRanges(
  engine: Pick<Engine, 'dialect' | 'read'>,
  selection: ListedEvents,
  range: TimeRange,
): Promise<CountedRange[]> {
  const { read: db } = engine;
  const { programId, totalOwner, linkId } = selection;
  const from = range.from ?? Number.MIN_SAFE_INTEGER;
  const to = range.to ?? Number.MAX_SAFE_INTEGER;
  if (selection.sources.length === 0) return [];
  if (totalOwner === null && linkId === undefined) return countRange(db, selection, from, to);
  const firstDay = Math.ceil(from / DAY_MS);
  const lastDay = Math.floor((to + 1) / DAY_MS) - 1;
  if (firstDay > lastDay) return countRange(db, selection, from, to);
  const [newest, days, oldest] = await Promise.all([
    range.to === null ? [] : countRange(db, selection, (lastDay + 1) * DAY_MS, to),
    totalOwner === null
      ? listLinkClicks(
          engine,
          programId,
          { from: Math.max(firstDay, firstListedDay(selection.sources)), to: lastDay },
          linkId ?? 0,
        )
      : countEventDays(db, selection, totalOwner, firstDay, lastDay),
    range.from === null ? [] : countRange(db, selection, from, firstDay * DAY_MS - 1),
  ]);
  const wholeDays = days.map(({ day, count }) => ({ from: day * DAY_MS, to: (day + 1) * DAY_MS - 1, count }));
  return [...newest, ...wholeDays, ...oldest];
}

async function countEventDays(
  db: Kysely<Schema>,
  { programId, sources }: ListedEvents,
  totalOwner: number,
  firstDay: number,
  lastDay: number,
): Promise<{ day: number; count: number }[]> {
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['day', eb.fn.sum<number>('value').as('count')])
    .where('program_id', '=', programId)
    .where('partner_id', '=', totalOwner)
    .where('day', '>=', firstDay)
    .where('day', '<=', lastDay)
    .where(ofSources(sources))
    .groupBy('day')
    .orderBy('day', 'desc')
    .execute();
  return rows.map(({ day, count }) => ({ day, count: Number(count) })).filter(({ count }) => count > 0);
}

/** The condition for the daily totals that count the listed events. */
function ofSources(sources: readonly EventSource[]): RawBuilder<SqlBool> {
  const conditions = sources.map((source) =>
    source.completeFrom === null
      ? sql`measure = ${source.measure}`
      : sql`(measure = ${source.measure} AND day >= ${firstListedDay([source])})`,
  );
  return sql<SqlBool>`(${sql.join(conditions, sql` OR `)})`;
}

/** The first day whose events are all listed. Clicks are removed by whole months, so no day is listed in part. */
function firstListedDay(sources: readonly EventSource[]): number {
  const [first] = sources.map(({ completeFrom }) => completeFrom ?? Number.MIN_SAFE_INTEGER);
  return Math.ceil((first ?? Number.MIN_SAFE_INTEGER) / DAY_MS);
}

async function countRange(
  db: Kysely<Schema>,
  { programId, sources }: ListedEvents,
  from: number,
  to: number,
): Promise<CountedRange[]> {
  if (from > to) return [];
  const counts = sources.map(
    (source) => sql`(SELECT count(*) ${eventsBetween(source, programId, from, to)})`,
  );
  const { rows } = await sql<{ count: number }>`SELECT ${sql.join(counts, sql` + `)} AS count`.execute(db);
  const count = Number(rows[0]?.count ?? 0);
  return count > 0 ? [{ from, to, count }] : [];
}

/**
 * Splits a whole day into hours, newest first. A page that starts in the middle of the day can then be read from the
 * hour in which it starts. This avoids skipping all newer events of the day one by one. If the range is not a whole
 * day, it is returned unchanged. The same applies if the hours do not add up to the total of the day.
 */
export async function splitByHours(
  db: Kysely<Schema>,
  { programId, sources, totalOwner }: ListedEvents,
  day: CountedRange,
): Promise<CountedRange[]> {
  // There are no hourly totals by partner.
  if (totalOwner !== WHOLE_PROGRAM) return [day];
  if (day.to - day.from !== DAY_MS - 1) return [day];
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['partner_id', eb.fn.sum<number>('value').as('count')])
    .where('program_id', '=', programId)
    .where('partner_id', 'in', [...HOURLY_TOTAL_OWNERS])
    .where('day', '=', day.from / DAY_MS)
    .where(ofSources(sources))
    .groupBy('partner_id')
    .orderBy('partner_id')
    .execute();
  const hours = rows.map(({ partner_id, count }) => {
    const from = day.from - (partner_id + 1) * HOUR_MS;
    return { from, to: from + HOUR_MS - 1, count: Number(count) };
  });
  const sum = hours.reduce((total, { count }) => total + count, 0);
  return sum === day.count ? hours : [day];
}
