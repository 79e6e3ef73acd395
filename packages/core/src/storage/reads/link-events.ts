import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../domain/calendar.ts';
import type { LinkEvents, LinkMeasure } from '../../domain/link-totals.ts';
import type { Snapshot } from '../database/engine/engine.ts';
import { withoutIndex } from '../database/without-index.ts';
import { joinFirstClick } from './first-click.ts';
import { sinceCounted } from './uncounted-clicks.ts';

/**
 * One id for each kind of event. In the stored progress, all events up to the id have been counted. In the result of
 * `findSettledIds`, all events up to the id can be counted now, because no new event with such an id can appear.
 */
export interface LinkEventIds {
  readonly click: number;
  readonly lead: number;
  readonly sale: number;
  readonly commission: number;
}

export const LINK_EVENT_KINDS = ['click', 'lead', 'sale', 'commission'] as const;
type LinkEventKind = (typeof LINK_EVENT_KINDS)[number];

const SOURCES = {
  click: { table: 'click_events', at: 'click_at', measure: sql`'clicks'`, total: sql`COUNT(*)` },
  lead: { table: 'lead_events', at: 'lead_at', measure: sql`'leads'`, total: sql`COUNT(*)` },
  sale: { table: 'sales', at: 'sale_at', measure: sql`'sales'`, total: sql`COUNT(*)` },
  commission: {
    table: 'commissions',
    at: 'commission_at',
    measure: sql`'commission:' || e.currency`,
    total: sql`SUM(e.amount_cents)`,
  },
} as const;

interface EventRow {
  readonly program_id: number;
  readonly link_id: number;
  readonly partner_id: number;
  readonly day: number;
  readonly sub_id: string;
  readonly measure: LinkMeasure;
  readonly total: number;
}

/**
 * Takes the next range of at most `limit` ids. Sums up the real events of one kind in this range by link, day, and
 * sub-id. A lead, sale, or commission has a partner and a customer. It counts for the link of the customer's first
 * click on a link of this partner. That click never changes.
 * @param programId null sums up the events of all programs; use it only on SQLite, because Postgres has no index for it
 * @returns the sums, and the id up to which all events are included
 */
export async function sumNextLinkEvents(
  snapshot: Snapshot,
  kind: LinkEventKind,
  programId: number | null,
  {
    after,
    upTo,
    limit,
    asOf,
  }: {
    readonly after: number;
    readonly upTo: number;
    readonly limit: number;
    readonly asOf: number | null;
  },
): Promise<{ events: LinkEvents[]; lastId: number }> {
  if (after >= upTo) return { events: [], lastId: after };
  // The condition on the time lets Postgres skip partitions. SQLite gets no such condition, because it might
  // then use an index on the time instead of the one on the ids.
  const ofProgram =
    programId === null
      ? sql`TRUE`
      : sql`e.program_id = ${programId} ${kind === 'click' ? sinceCounted(asOf) : sql``}`;
  const { rows } = await sql<{ id: number | null }>`SELECT MIN(e.id) AS id
    FROM ${sql.table(SOURCES[kind].table)} AS e
    WHERE ${ofProgram} AND e.id > ${after} AND e.id <= ${upTo}`.execute(snapshot.db);
  const first = rows[0]?.id ?? null;
  if (first === null) return { events: [], lastId: upTo };
  // The range is limited by ids, not by rows. With a row limit, Postgres may use a plan that it made when the
  // table was small, and read all later events.
  const lastId = Math.min(upTo, first + limit - 1);
  const isReal = kind === 'commission' ? sql`` : sql`AND ${withoutIndex('e.is_test')} = 0`;
  const events = await sumEvents(
    snapshot,
    kind,
    sql`${ofProgram} AND e.id >= ${first} AND e.id <= ${lastId} ${isReal}`,
  );
  return { events, lastId };
}

/** Sums up the program's events of a day. Events with ids above `upTo` are left out. */
export async function sumLinkEventsOfDay(
  snapshot: Snapshot,
  programId: number,
  day: number,
  upTo: LinkEventIds,
): Promise<LinkEvents[]> {
  const found: LinkEvents[] = [];
  for (const kind of LINK_EVENT_KINDS) {
    const at = sql.ref(`e.${SOURCES[kind].at}`);
    const isReal = kind === 'commission' ? sql`` : sql`AND e.is_test = 0`;
    const ofDay = sql`e.program_id = ${programId} AND ${at} >= ${day * DAY_MS} AND ${at} < ${(day + 1) * DAY_MS}`;
    found.push(...(await sumEvents(snapshot, kind, sql`${ofDay} AND e.id <= ${upTo[kind]} ${isReal}`)));
  }
  return found;
}

async function sumEvents(
  { dialect, db }: Snapshot,
  kind: LinkEventKind,
  condition: RawBuilder<unknown>,
): Promise<LinkEvents[]> {
  const { table, at, measure, total } = SOURCES[kind];
  const visit = kind === 'click' ? sql`e` : sql`c`;
  const firstClick = kind === 'click' ? sql`` : joinFirstClick(dialect, { ofPartner: true });
  const { rows } =
    await sql<EventRow>`SELECT e.program_id, ${visit}.link_id, COALESCE(${visit}.partner_id, 0) AS partner_id, ${sql.ref(`e.${at}`)} / ${sql.lit(DAY_MS)} AS day,
      COALESCE(${visit}.sub_id, '') AS sub_id, ${measure} AS measure, ${total} AS total
    FROM ${sql.table(table)} AS e ${firstClick}
    WHERE ${condition} AND ${visit}.link_id IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6`.execute(db);
  return rows.map((row) => ({
    programId: row.program_id,
    linkId: row.link_id,
    partnerId: row.partner_id,
    day: Number(row.day),
    subId: row.sub_id,
    measure: row.measure,
    total: Number(row.total),
  }));
}
