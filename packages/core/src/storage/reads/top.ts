import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../domain/calendar.ts';
import type { DayRange } from '../../domain/period.ts';
import { idList } from '../database/id-list.ts';
import type { DailyMeasure, Schema } from '../database/schema.ts';

/** A partner or link and its value in the range. */
export interface Ranked {
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
): Promise<Ranked[]> {
  if (measure === 'clicks' || measure === 'leads') {
    const sumOf = (ids: readonly number[]) => sumTotals(db, programId, measure, days, ids);
    return findTop(db, { programId, subject: 'partner', measure }, sumOf, limit);
  }
  return topBySales(db, programId, measure, days, limit);
}

/** Finds the links with the most clicks in the range, most first. */
export function topLinks(
  db: Kysely<Schema>,
  programId: number,
  days: DayRange,
  limit: number,
): Promise<Ranked[]> {
  const sumOf = (ids: readonly number[]) => countClicks(db, programId, days, ids);
  return findTop(db, { programId, subject: 'link', measure: 'clicks' }, sumOf, limit);
}

/** Totals of sales are few, and an index by day covers them. */
async function topBySales(
  db: Kysely<Schema>,
  programId: number,
  measure: DailyMeasure,
  days: DayRange,
  limit: number,
): Promise<Ranked[]> {
  const { rows } = await sql<Ranked>`SELECT partner_id AS id, SUM(value) AS value FROM daily_totals
    WHERE program_id = ${programId} AND measure = ${measure} AND day >= ${days.from} AND day <= ${days.to}
      AND partner_id > 0 AND measure <> 'clicks'
    GROUP BY partner_id HAVING SUM(value) > 0 ORDER BY 2 DESC, 1 LIMIT ${limit}`.execute(db);
  return rows.map(({ id, value }) => ({ id, value: Number(value) }));
}

const FIRST_BATCH = 64;
const BATCH_GROWTH = 4;

interface Counter {
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
  { programId, subject, measure }: Counter,
  sumOf: (ids: readonly number[]) => Promise<Ranked[]>,
  limit: number,
): Promise<Ranked[]> {
  const { rows } = await sql<Ranked>`SELECT subject_id AS id, SUM(value) AS value FROM counters
    WHERE program_id = ${programId} AND subject = ${subject} AND measure = ${measure}
    GROUP BY subject_id ORDER BY 2 DESC, 1`.execute(db);
  let top: Ranked[] = [];
  for (let from = 0, size = FIRST_BATCH; from < rows.length; from += size, size *= BATCH_GROWTH) {
    const batch = rows.slice(from, from + size);
    const last = top[limit - 1];
    if (last && last.value >= Number(batch[0]?.value ?? 0)) break;
    top = [...top, ...(await sumOf(batch.map(({ id }) => id)))]
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.value - a.value || a.id - b.id)
      .slice(0, limit);
  }
  return top;
}

async function sumTotals(
  db: Kysely<Schema>,
  programId: number,
  measure: DailyMeasure,
  days: DayRange,
  partnerIds: readonly number[],
): Promise<Ranked[]> {
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

/**
 * Counts the clicks on links. Links have no daily totals, but if a partner has a single link, the partner's
 * totals equal the link's. Clicks on the other links are counted with an index.
 */
async function countClicks(
  db: Kysely<Schema>,
  programId: number,
  days: DayRange,
  linkIds: readonly number[],
): Promise<Ranked[]> {
  const links = await db
    .selectFrom('links')
    .select([
      'id',
      'partner_id',
      sql<number>`(SELECT count(*) FROM links AS other
        WHERE other.program_id = links.program_id AND other.partner_id = links.partner_id)`.as('of_partner'),
    ])
    .where('program_id', '=', programId)
    .where('id', 'in', idList(linkIds))
    .execute();
  const single = new Map<number, number>();
  const shared: { id: number; partnerId: number }[] = [];
  for (const { id, partner_id: partnerId, of_partner } of links) {
    if (partnerId === null) continue;
    if (Number(of_partner) === 1) single.set(partnerId, id);
    else shared.push({ id, partnerId });
  }
  const totals = await sumTotals(db, programId, 'clicks', days, [...single.keys()]);
  const counts = await db
    .selectFrom('click_events')
    .select((eb) => ['link_id as id', eb.fn.countAll<number>().as('value')])
    .where('program_id', '=', programId)
    .where('is_test', '=', sql.lit(0))
    .where('partner_id', 'in', idList([...new Set(shared.map(({ partnerId }) => partnerId))]))
    .where('click_at', '>=', days.from * DAY_MS)
    .where('click_at', '<', (days.to + 1) * DAY_MS)
    .where('link_id', 'in', idList(shared.map(({ id }) => id)))
    .groupBy('link_id')
    .execute();
  return [
    ...totals.map(({ id, value }) => ({ id: single.get(id) ?? 0, value })),
    ...counts.map(({ id, value }) => ({ id: id ?? 0, value: Number(value) })),
  ];
}
