import { type RawBuilder, sql } from 'kysely';
import type { DayRange } from '../../domain/period.ts';
import type { Engine } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { DailyMeasure } from '../database/schema.ts';
import { type ClickProgress, clicksSince, findClickProgress } from './link-clicks.ts';
import {
  daysOf,
  findPeriods,
  listHighestTotals,
  type RankedRow,
  type RankedTotals,
  splitByPeriods,
} from './period-totals.ts';

type TopReader = Pick<Engine, 'dialect' | 'read'>;

/** Finds the partners with the highest values in the range, highest value first. */
export function topPartners(
  engine: TopReader,
  programId: number,
  measure: DailyMeasure,
  days: DayRange,
  limit: number,
): Promise<RankedRow[]> {
  return findTop(engine, { programId, owner: 'partner', measure }, days, limit);
}

/** Finds the links with the most clicks in the range, highest number first. */
export function topLinks(
  engine: TopReader,
  programId: number,
  days: DayRange,
  limit: number,
): Promise<RankedRow[]> {
  return findTop(engine, { programId, owner: 'link', measure: 'clicks' }, days, limit);
}

/**
 * The number of totals that are listed at first, per period and per row of the ranking. Few rankings need more totals.
 */
const LISTED_PER_ROW = 4;
const LIST_GROWTH = 4;
/** Must be below the engines' limits for the number of parameters in a statement. */
const MAX_SUMMED_OWNERS = 1_000;

/**
 * Finds the owners with the highest values in a range, without reading all owners. The owners of the highest
 * totals in each period are the first candidates. More totals are listed until no other owner can be in the
 * result.
 */
async function findTop(
  engine: TopReader,
  totals: RankedTotals,
  days: DayRange,
  limit: number,
): Promise<RankedRow[]> {
  const counted = totals.measure === 'clicks' ? await findClickProgress(engine, totals.programId) : null;
  // The job may count clicks at any time. The progress is read first, then the later clicks, and then the
  // totals, so that no click is missed.
  const uncounted = counted === null ? [] : await listUncounted(engine, totals, days, counted);
  const periods = await findPeriods(engine.read, totals, days);
  const values = new Map<number, number>();
  const addValues = async (ids: readonly number[]) => {
    const candidates = [...new Set(ids)].filter((id) => !values.has(id));
    for (let from = 0; from < candidates.length; from += MAX_SUMMED_OWNERS) {
      const next = candidates.slice(from, from + MAX_SUMMED_OWNERS);
      for (const id of next) values.set(id, 0);
      for (const { id, value } of await sumTotals(engine, totals, days, next, counted)) values.set(id, value);
    }
    return [...values]
      .map(([id, value]) => ({ id, value }))
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.value - a.value || a.id - b.id)
      .slice(0, limit);
  };
  if (periods === null) return await addValues(uncounted);
  for (let size = limit * LISTED_PER_ROW; ; size *= LIST_GROWTH) {
    const { ids, limitOfOthers } = await listHighestTotals(engine.read, totals, periods, size);
    const top = await addValues([...uncounted, ...ids]);
    const last = top[limit - 1];
    if (limitOfOthers === 0 || (last && last.value > limitOfOthers)) return top;
  }
}

/** Lists the owners of clicks that have not been counted yet. */
async function listUncounted(
  engine: TopReader,
  { programId, owner }: RankedTotals,
  days: DayRange,
  counted: ClickProgress,
): Promise<number[]> {
  const id = sql.ref(`${owner}_id`);
  const { rows } = await sql<{ id: number }>`SELECT DISTINCT ${id} AS id
    ${clicksSince(engine.dialect, programId, counted, days)} AND ${id} IS NOT NULL`.execute(engine.read);
  return rows.map((row) => row.id);
}

/** Sums up the values of the given owners over the range. */
async function sumTotals(
  engine: TopReader,
  totals: RankedTotals,
  range: DayRange,
  ownerIds: readonly number[],
  counted: ClickProgress | null,
): Promise<RankedRow[]> {
  const { programId, owner, measure } = totals;
  const ids = sql.join(idList(ownerIds));
  const { periods, days } = splitByPeriods(range);
  const parts: RawBuilder<unknown>[] = days.map((part) => daysOfOwners(totals, part, ids));
  if (periods) {
    parts.push(sql`SELECT owner_id AS id, value FROM period_totals WHERE program_id = ${programId}
      AND owner = ${owner} AND measure = ${measure} AND owner_id IN (${ids})
      AND period >= ${periods.from} AND period <= ${periods.to}`);
  }
  // Clicks that the counting job has not reached are missing from all totals of links. For partners, they are missing
  // only from the totals of whole periods, because the daily totals contain them.
  const uncounted = owner === 'link' ? range : periods && daysOf(periods);
  if (counted !== null && uncounted) {
    const id = sql.ref(`${owner}_id`);
    parts.push(
      sql`SELECT ${id} AS id, 1 AS value ${clicksSince(engine.dialect, programId, counted, uncounted)}
        AND ${id} IN (${ids})`,
    );
  }
  const { rows } = await sql<RankedRow>`SELECT id, SUM(value) AS value
    FROM (${sql.join(parts, sql` UNION ALL `)}) AS parts GROUP BY id`.execute(engine.read);
  return rows.filter(({ id }) => id > 0).map(({ id, value }) => ({ id, value: Number(value) }));
}

function daysOfOwners(
  { programId, owner, measure }: RankedTotals,
  { from, to }: DayRange,
  ids: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return owner === 'link'
    ? sql`SELECT link_id AS id, clicks AS value FROM link_clicks
        WHERE program_id = ${programId} AND link_id IN (${ids}) AND day >= ${from} AND day <= ${to}`
    : sql`SELECT partner_id AS id, value FROM daily_totals WHERE program_id = ${programId}
        AND partner_id IN (${ids}) AND day >= ${from} AND day <= ${to} AND measure = ${measure}`;
}
