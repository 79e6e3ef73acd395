import { type Kysely, sql } from 'kysely';
import type { DayRange } from '../../domain/period.ts';
import type { Engine } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { DailyMeasure, Schema } from '../database/schema.ts';
import { sumLinkClicks } from './link-clicks.ts';

/** A partner or link and its value in the range. */
export interface RankedRow {
  readonly id: number;
  readonly value: number;
}

/** Finds the partners with the highest values in the range, highest first. */
export function topPartners(
  db: Kysely<Schema>,
  programId: number,
  measure: DailyMeasure,
  days: DayRange,
  limit: number,
): Promise<RankedRow[]> {
  if (measure === 'clicks' || measure === 'leads') {
    const sumOf = (ids: readonly number[]) => sumTotals(db, programId, measure, days, ids);
    return findTop(db, { programId, subject: 'partner', measure }, sumOf, limit);
  }
  return topBySales(db, programId, measure, days, limit);
}

/** Finds the links with the most clicks in the range, most first. */
export function topLinks(
  engine: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  days: DayRange,
  limit: number,
): Promise<RankedRow[]> {
  const sumOf = (ids: readonly number[]) => sumLinkClicks(engine, programId, days, ids);
  return findTop(engine.read, { programId, subject: 'link', measure: 'clicks' }, sumOf, limit);
}

/** Totals of sales are few, and an index by day covers them. */
async function topBySales(
  db: Kysely<Schema>,
  programId: number,
  measure: DailyMeasure,
  days: DayRange,
  limit: number,
): Promise<RankedRow[]> {
  const { rows } = await sql<RankedRow>`SELECT partner_id AS id, SUM(value) AS value FROM daily_totals
    WHERE program_id = ${programId} AND measure = ${measure} AND day >= ${days.from} AND day <= ${days.to}
      AND partner_id > 0 AND measure <> 'clicks'
    GROUP BY partner_id HAVING SUM(value) > 0 ORDER BY 2 DESC, 1 LIMIT ${limit}`.execute(db);
  return rows.map(({ id, value }) => ({ id, value: Number(value) }));
}

const FIRST_RANKING_BATCH = 64;
const BATCH_GROWTH = 4;
/** Below the engines' limits for the parameters of a statement. */
const MAX_RANKING_BATCH = 4_096;

interface RankingCounter {
  readonly programId: number;
  readonly subject: 'partner' | 'link';
  readonly measure: 'clicks' | 'leads';
}

/**
 * Finds the subjects with the highest values in a range. The counter of all time is never less than the value
 * in the range, so subjects are checked by descending counter until no remaining subject can be among the
 * highest.
 */
async function findTop(
  db: Kysely<Schema>,
  counter: RankingCounter,
  sumOf: (ids: readonly number[]) => Promise<RankedRow[]>,
  limit: number,
): Promise<RankedRow[]> {
  let top: RankedRow[] = [];
  const add = async (batch: readonly RankedRow[]) => {
    top = [...top, ...(await sumOf(batch.map(({ id }) => id)))]
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.value - a.value || a.id - b.id)
      .slice(0, limit);
  };
  const isDecided = (next: RankedRow | undefined) => {
    const last = top[limit - 1];
    return !next || (last !== undefined && last.value >= next.value);
  };
  const first = await listByCounter(db, counter, FIRST_RANKING_BATCH + 1);
  const next = first[FIRST_RANKING_BATCH];
  await add(first.slice(0, FIRST_RANKING_BATCH));
  if (isDecided(next)) return top;
  const checked = new Set(first.slice(0, FIRST_RANKING_BATCH).map(({ id }) => id));
  const rest = (await listByCounter(db, counter, null)).filter(({ id }) => !checked.has(id));
  for (let from = 0, size = FIRST_RANKING_BATCH; from < rest.length; from += size) {
    if (isDecided(rest[from])) break;
    size = Math.min(size * BATCH_GROWTH, MAX_RANKING_BATCH);
    await add(rest.slice(from, from + size));
  }
  return top;
}

/** Lists the subjects by descending counter. @param limit null lists all */
async function listByCounter(
  db: Kysely<Schema>,
  { programId, subject, measure }: RankingCounter,
  limit: number | null,
): Promise<RankedRow[]> {
  const { rows } = await sql<RankedRow>`SELECT subject_id AS id, SUM(value) AS value FROM counters
    WHERE program_id = ${programId} AND subject = ${subject} AND measure = ${measure}
    GROUP BY subject_id ORDER BY 2 DESC, 1 ${limit === null ? sql`` : sql`LIMIT ${limit}`}`.execute(db);
  return rows.map(({ id, value }) => ({ id, value: Number(value) }));
}

async function sumTotals(
  db: Kysely<Schema>,
  programId: number,
  measure: DailyMeasure,
  days: DayRange,
  partnerIds: readonly number[],
): Promise<RankedRow[]> {
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['partner_id as id', eb.fn.sum<number>('value').as('value')])
    .where('program_id', '=', programId)
    .where('partner_id', 'in', idList(partnerIds))
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .where('measure', '=', measure)
    .groupBy('partner_id')
    .execute();
  return rows.filter(({ id }) => id > 0).map(({ id, value }) => ({ id, value: Number(value) }));
}
