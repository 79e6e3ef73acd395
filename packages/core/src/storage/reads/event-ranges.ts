import { type Kysely, sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../domain/calendar.ts';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Schema } from '../database/schema.ts';
import { HOUR_OWNERS, WHOLE_PROGRAM } from '../tracking/total-owner.ts';
import { type EventSource, eventsBetween } from './event-sources.ts';

/** A stretch of time, both ends included, and how many of the events lie in it. */
export interface CountedRange {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Whose events are counted. */
export interface Counted {
  readonly programId: number;
  readonly sources: readonly EventSource[];
}

/**
 * Cuts a range into stretches that hold events, newest first. Whole days are counted by their totals, and only what
 * the range takes of the days at its ends by index.
 */
export async function listRanges(
  db: Kysely<Schema>,
  counted: Counted,
  range: TimeRange,
): Promise<CountedRange[]> {
  const from = range.from ?? Number.MIN_SAFE_INTEGER;
  const to = range.to ?? Number.MAX_SAFE_INTEGER;
  const firstDay = Math.ceil(from / DAY_MS);
  const lastDay = Math.floor((to + 1) / DAY_MS) - 1;
  if (firstDay > lastDay) return countRange(db, counted, from, to);
  const [newest, days, oldest] = await Promise.all([
    range.to === null ? [] : countRange(db, counted, (lastDay + 1) * DAY_MS, to),
    countDays(db, counted, firstDay, lastDay),
    range.from === null ? [] : countRange(db, counted, from, firstDay * DAY_MS - 1),
  ]);
  return [...newest, ...days, ...oldest];
}

async function countDays(
  db: Kysely<Schema>,
  { programId, sources }: Counted,
  firstDay: number,
  lastDay: number,
): Promise<CountedRange[]> {
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['day', eb.fn.sum<number>('value').as('count')])
    .where('program_id', '=', programId)
    .where('partner_id', '=', WHOLE_PROGRAM)
    .where('day', '>=', firstDay)
    .where('day', '<=', lastDay)
    .where(
      'measure',
      'in',
      sources.map((source) => source.measure),
    )
    .groupBy('day')
    .orderBy('day', 'desc')
    .execute();
  return rows
    .map(({ day, count }) => ({ from: day * DAY_MS, to: (day + 1) * DAY_MS - 1, count: Number(count) }))
    .filter(({ count }) => count > 0);
}

async function countRange(
  db: Kysely<Schema>,
  { programId, sources }: Counted,
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
 * The same stretch by its hours, newest first, so that little of it is skipped one by one; as it is where it is no
 * whole day, or where the totals of its hours don't add up to it.
 */
export async function splitByHours(
  db: Kysely<Schema>,
  { programId, sources }: Counted,
  stretch: CountedRange,
): Promise<CountedRange[]> {
  if (stretch.to - stretch.from !== DAY_MS - 1) return [stretch];
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['partner_id', eb.fn.sum<number>('value').as('count')])
    .where('program_id', '=', programId)
    .where('partner_id', 'in', [...HOUR_OWNERS])
    .where('day', '=', stretch.from / DAY_MS)
    .where(
      'measure',
      'in',
      sources.map((source) => source.measure),
    )
    .groupBy('partner_id')
    .orderBy('partner_id')
    .execute();
  const hours = rows.map(({ partner_id, count }) => {
    const from = stretch.from - (partner_id + 1) * HOUR_MS;
    return { from, to: from + HOUR_MS - 1, count: Number(count) };
  });
  const sum = hours.reduce((total, { count }) => total + count, 0);
  return sum === stretch.count ? hours : [stretch];
}
