import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../domain/calendar.ts';
import {
  type LinkMeasure,
  type LinkTotal,
  type LinkTotalKind,
  NAMED_SUB_ID,
  type StoredSubId,
  WHOLE_LINK,
} from '../../domain/link-totals.ts';
import type { DayRange } from '../../domain/period.ts';
import type { Engine, Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { inlineTable, insertRows } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import { isInProgramOf } from '../database/split-by-program.ts';
import { type CountedClicks, countedClicksFrom } from '../tracking/removed-months.ts';
import { LINK_EVENT_KINDS, type LinkEventIds } from './link-events.ts';
import { lockProgress } from './lock-progress.ts';
import { sinceCounted } from './uncounted-clicks.ts';

/** The progress of counting the events of a program. */
export interface LinkTotalProgress {
  readonly ids: LinkEventIds;
  /**
   * All events that were stored before this time are counted. Null until all existing events have been
   * counted once.
   */
  readonly asOf: number | null;
}

const NO_PROGRESS: LinkTotalProgress = { ids: { click: 0, lead: 0, sale: 0, commission: 0 }, asOf: null };

/** @param key see `breakdownProgressKey` */
export async function findLinkTotalProgress(db: Kysely<Schema>, key: number): Promise<LinkTotalProgress> {
  const row = await db
    .selectFrom('link_total_progress')
    .selectAll()
    .where('program_id', '=', key)
    .executeTakeFirst();
  if (!row) return NO_PROGRESS;
  return {
    ids: { click: row.click_id, lead: row.lead_id, sale: row.sale_id, commission: row.commission_id },
    asOf: row.as_of,
  };
}

/**
 * Locks the progress until the transaction ends.
 * @returns null when another process holds the lock and `waits` is false
 */
export async function lockLinkTotalProgress(
  tx: Transaction,
  key: number,
  waits = false,
): Promise<LinkTotalProgress | null> {
  await tx.db
    .insertInto('link_total_progress')
    .values({ program_id: key, click_id: 0, lead_id: 0, sale_id: 0, commission_id: 0, as_of: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const isLocked = await lockProgress(tx, 'link_total_progress', key, waits);
  return isLocked ? findLinkTotalProgress(tx.db, key) : null;
}

export async function saveLinkTotalProgress(
  tx: Transaction,
  key: number,
  { ids, asOf }: LinkTotalProgress,
): Promise<void> {
  await tx.db
    .updateTable('link_total_progress')
    .set({
      click_id: ids.click,
      lead_id: ids.lead,
      sale_id: ids.sale,
      commission_id: ids.commission,
      as_of: asOf,
    })
    .where('program_id', '=', key)
    .execute();
}

const EVENT_TABLES = {
  click: 'click_events',
  lead: 'lead_events',
  sale: 'sales',
  commission: 'commissions',
} as const;

/**
 * Lists the progress keys of programs with uncounted events. Compares the highest ids, as
 * `findUncountedPrograms` does. The order is random, so that a large backlog of some programs does not delay
 * the others.
 */
export async function findUncountedLinkPrograms(
  { dialect, read }: Engine,
  settled: LinkEventIds,
  limit: number,
): Promise<number[]> {
  if (dialect === 'sqlite') {
    const { ids } = await findLinkTotalProgress(read, 0);
    return LINK_EVENT_KINDS.some((kind) => ids[kind] < settled[kind]) ? [0] : [];
  }
  const isBehind = LINK_EVENT_KINDS.map(
    (kind) => sql`(SELECT MAX(e.id) FROM ${sql.table(EVENT_TABLES[kind])} AS e
      WHERE e.program_id = p.program_id AND e.id <= ${settled[kind]} AND e.id > COALESCE(b.${sql.id(`${kind}_id`)}, 0)
        ${kind === 'click' ? sinceCounted(sql`b.as_of`) : sql``}) IS NOT NULL`,
  );
  const { rows } = await sql<{ id: number }>`SELECT p.program_id AS id FROM program_shards AS p
    LEFT JOIN link_total_progress AS b ON b.program_id = p.program_id
    WHERE ${sql.join(isBehind, sql` OR `)} ORDER BY random() LIMIT ${limit}`.execute(read);
  return rows.map(({ id }) => id);
}

/**
 * Whether all currently stored events of the program have been counted. On SQLite, the events of all programs are
 * checked at once.
 */
export async function isLinkTotalCaughtUp(
  { read, dialect }: Engine,
  programId: number,
  { ids, asOf }: LinkTotalProgress,
): Promise<boolean> {
  const isBehind = LINK_EVENT_KINDS.map((kind) => {
    const latest = sql`SELECT MAX(e.id) FROM ${sql.table(EVENT_TABLES[kind])} AS e`;
    return dialect === 'sqlite'
      ? sql`(${latest}) > ${ids[kind]}`
      : sql`(${latest} WHERE e.program_id = ${programId} AND e.id > ${ids[kind]}
          ${kind === 'click' ? sinceCounted(asOf) : sql``}) IS NOT NULL`;
  });
  const { rows } = await sql`SELECT 1 WHERE ${sql.join(isBehind, sql` OR `)}`.execute(read);
  return rows.length === 0;
}

/** Lists the stored rows of sub-ids on the given days, including the rows that several sub-ids share. */
export async function listStoredSubIds(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  days: readonly { readonly programId: number; readonly day: number }[],
): Promise<StoredSubId[]> {
  if (days.length === 0) return [];
  const keys = days.map(({ programId, day }) => ({ program_id: programId, day }));
  const { rows } = await sql<{
    program_id: number;
    link_id: number;
    partner_id: number;
    kind: LinkTotalKind;
    day: number;
    sub_id: string;
  }>`SELECT DISTINCT t.program_id, t.link_id, COALESCE(l.partner_id, 0) AS partner_id, t.kind, t.day, t.sub_id
    FROM ${inlineTable({ dialect }, 'k', { program_id: 'integer', day: 'integer' }, keys)}
    CROSS JOIN link_totals AS t
    LEFT JOIN links AS l ON l.program_id = t.program_id AND l.id = t.link_id
    WHERE ${isInProgramOf(days, 't.program_id')} AND t.program_id = k.program_id AND t.day = k.day AND t.kind >= ${NAMED_SUB_ID}`.execute(
    db,
  );
  return rows.map((row) => ({
    programId: row.program_id,
    linkId: row.link_id,
    partnerId: row.partner_id,
    kind: row.kind,
    day: row.day,
    subId: row.sub_id,
  }));
}

export async function addLinkTotals(tx: Transaction, totals: readonly LinkTotal[]): Promise<void> {
  await insertRows(
    tx,
    'link_totals',
    totals.map((row) => ({
      program_id: row.programId,
      link_id: row.linkId,
      kind: row.kind,
      day: row.day,
      sub_id: row.subId,
      measure: row.measure,
      total: row.total,
    })),
    sql`ON CONFLICT (program_id, link_id, kind, day, sub_id, measure)
      DO UPDATE SET total = link_totals.total + excluded.total`,
  );
}

export async function listLinkTotalsOfDay(
  db: Kysely<Schema>,
  programId: number,
  day: number,
): Promise<LinkTotal[]> {
  const rows = await db
    .selectFrom('link_totals')
    .selectAll()
    .where('program_id', '=', programId)
    .where('day', '=', day)
    .execute();
  return rows.map((row) => ({
    programId: row.program_id,
    linkId: row.link_id,
    kind: row.kind,
    day: row.day,
    subId: row.sub_id,
    measure: row.measure,
    total: row.total,
  }));
}

export async function replaceLinkTotalsOfDay(
  tx: Transaction,
  { programId, day }: { readonly programId: number; readonly day: number },
  totals: readonly LinkTotal[],
): Promise<void> {
  await tx.db.deleteFrom('link_totals').where('program_id', '=', programId).where('day', '=', day).execute();
  await addLinkTotals(tx, totals);
}

/**
 * Lists the days on which the program has totals of links, or events that these totals count. With
 * `complete_months`, days whose clicks were removed are left out.
 */
export async function listLinkTotalDays(
  db: Kysely<Schema>,
  programId: number,
  clicks: CountedClicks,
): Promise<number[]> {
  const { rows } = await sql<{
    day: number;
  }>`SELECT day FROM (SELECT day FROM link_totals WHERE program_id = ${programId}
    UNION SELECT day FROM daily_totals WHERE program_id = ${programId}
      AND (measure IN ('clicks', 'leads', 'sales') OR measure LIKE 'commission:%')) AS days
    WHERE day >= ${countedClicksFrom(clicks)} / ${sql.lit(DAY_MS)} ORDER BY day`.execute(db);
  return rows.map(({ day }) => day);
}

/** The sum of one measure of a link. */
export interface LinkSum {
  readonly linkId: number;
  readonly measure: LinkMeasure;
  readonly total: number;
}

/**
 * Sums up the totals of the links over all days. The cost depends on the number of links and days, but not on
 * the number of events.
 */
export async function sumLinkTotals(
  db: Kysely<Schema>,
  programIds: readonly number[],
  linkIds: readonly number[],
): Promise<LinkSum[]> {
  const rows = await db
    .selectFrom('link_totals')
    .select((eb) => ['link_id', 'measure', eb.fn.sum<number>('total').as('total')])
    .where('program_id', 'in', idList(programIds))
    .where('link_id', 'in', idList(linkIds))
    .where('kind', '=', WHOLE_LINK)
    .groupBy(['link_id', 'measure'])
    .execute();
  return rows.map(({ link_id: linkId, measure, total }) => ({ linkId, measure, total: Number(total) }));
}

/** Lists the daily totals of a link, or of one of its sub-ids. */
export async function listLinkTotalsByDay(
  db: Kysely<Schema>,
  {
    programId,
    linkId,
    subId,
  }: { readonly programId: number; readonly linkId: number; readonly subId: string | null },
  days: DayRange,
): Promise<{ interval: number; measure: LinkMeasure; value: number }[]> {
  return await db
    .selectFrom('link_totals')
    .select(['day as interval', 'measure', 'total as value'])
    .where('program_id', '=', programId)
    .where('link_id', '=', linkId)
    .where('kind', '=', subId === null ? WHOLE_LINK : NAMED_SUB_ID)
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .$if(subId !== null, (query) => query.where('sub_id', '=', subId ?? ''))
    .execute();
}

/**
 * The sum of one measure of a sub-id. Sub-ids beyond a daily limit have no separate rows. They share one row, and their
 * common sum has an empty `subId`.
 */
interface SubIdSum {
  readonly subId: string;
  readonly measure: LinkMeasure;
  readonly total: number;
}

/**
 * Lists the sub-ids of a link that have totals in a range of days, most clicks first. Sub-ids beyond a daily limit
 * share one row. If there is such a row, an empty sub-id is at the end of the list. The cost depends on the number of
 * days and sub-ids, but not on the number of events.
 */
export async function listSubIds(
  { read, dialect }: Pick<Engine, 'read' | 'dialect'>,
  ofLink: { readonly programId: number; readonly linkId: number },
  days: DayRange,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ subIds: string[]; total: number }> {
  const named = subIdTotals(read, ofLink, days);
  const byText = dialect === 'sqlite' ? sql`sub_id` : sql`sub_id COLLATE "C"`;
  const rows = await named
    .select('sub_id')
    .groupBy('sub_id')
    .orderBy(sql`CASE sub_id WHEN '' THEN 1 ELSE 0 END`)
    .orderBy(sql`SUM(CASE measure WHEN 'clicks' THEN total ELSE 0 END)`, 'desc')
    .orderBy(byText)
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await named
    .select((eb) => eb.fn.count<number>('sub_id').distinct().as('total'))
    .executeTakeFirstOrThrow();
  return { subIds: rows.map(({ sub_id }) => sub_id), total: Number(total) };
}

/** Sums up the totals of some sub-ids over a range of days. */
export async function sumSubIds(
  db: Kysely<Schema>,
  ofLink: { readonly programId: number; readonly linkId: number },
  days: DayRange,
  subIds: readonly string[],
): Promise<SubIdSum[]> {
  if (subIds.length === 0) return [];
  const rows = await subIdTotals(db, ofLink, days)
    .where('sub_id', 'in', subIds)
    .select((eb) => ['sub_id', 'measure', eb.fn.sum<number>('total').as('total')])
    .groupBy(['sub_id', 'measure'])
    .execute();
  return rows.map(({ sub_id: subId, measure, total }) => ({ subId, measure, total: Number(total) }));
}

function subIdTotals(
  db: Kysely<Schema>,
  { programId, linkId }: { readonly programId: number; readonly linkId: number },
  days: DayRange,
) {
  return db
    .selectFrom('link_totals')
    .where('program_id', '=', programId)
    .where('link_id', '=', linkId)
    .where('kind', '>=', NAMED_SUB_ID)
    .where('day', '>=', days.from)
    .where('day', '<=', days.to);
}
