import { type Kysely, type Selectable, sql } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import type { ListTotal, Page } from '../database/list-page.ts';
import type { Schema } from '../database/schema.ts';
import { findClicksCompleteFrom } from '../tracking/removed-months.ts';
import { WHOLE_PROGRAM } from '../tracking/total-owner.ts';
import { type CountedRange, type ListedEvents, listEventRanges, splitByHours } from './event-ranges.ts';
import { searchEvents } from './event-search.ts';
import {
  type EventFilter,
  type EventType,
  eventSources,
  eventsBetween,
  type ListedKey,
} from './event-sources.ts';

/**
 * An event of any type, with its customer's link, and the time of the customer's first purchase. This time shows
 * whether the event led to a purchase.
 */
export type EventRow =
  | { readonly type: 'click'; readonly row: Selectable<Schema['click_events']> & OfCustomer }
  | { readonly type: 'lead'; readonly row: Selectable<Schema['lead_events']> & OfCustomer }
  | { readonly type: 'conversion'; readonly row: Selectable<Schema['sales']> & OfCustomer };

interface OfCustomer {
  readonly first_purchase_at: number | null;
  readonly customer_link_id: number | null;
}

/**
 * A page may start in the middle of a day. Up to this number of newer events of the day are skipped one by one to find
 * the start of the page. If there are more, hourly totals are first used to find the hour in which the page starts.
 */
const MAX_SKIPPED = 200;

/** A page of the list. `clicksCompleteFrom` is null when the list contains all clicks. */
export interface EventPage {
  readonly events: EventRow[];
  readonly total: number | ListTotal;
  readonly clicksCompleteFrom: number | null;
}

/**
 * Lists a page of a program's real events, newest first. Events with the same time are sorted by type and
 * then by id, both descending. The start of the page is found with totals, so the events of earlier pages are
 * not read. A new event shifts all pages by one row. If clicks of a month were removed, neither this month's clicks nor
 * earlier clicks are listed.
 */
export async function listEvents(
  engine: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  filter: EventFilter,
  page: Page,
): Promise<EventPage> {
  const { read: db } = engine;
  const clicksCompleteFrom = await findClicksCompleteFrom(db);
  const sources = eventSources(filter, clicksCompleteFrom);
  const { q, subId, linkId, partnerId } = filter;
  if (q !== undefined) {
    const { keys, total } = await searchEvents(engine, programId, sources, q, page);
    return { events: await findEvents(db, programId, keys), total, clicksCompleteFrom };
  }
  const hasTotals = subId === undefined && linkId === undefined;
  const selection: ListedEvents = {
    programId,
    sources,
    totalOwner: hasTotals ? (partnerId ?? WHOLE_PROGRAM) : null,
    ...(subId === undefined && partnerId === undefined && { linkId }),
  };
  const ranges = await listEventRanges(engine, selection, filter.range);
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  const oldest = filter.range.from ?? Number.MIN_SAFE_INTEGER;
  let start = locateOffset(ranges, page.offset);
  if (start !== null && start.offset > MAX_SKIPPED) {
    start = locateOffset(await splitByHours(db, selection, start.range), start.offset);
  }
  if (start === null) return { events: [], total, clicksCompleteFrom };
  const { to } = start.range;
  const slice = { offset: start.offset, limit: page.limit };
  const expected = oldestOfPage(ranges, page);
  let keys = await listKeys(db, selection, { from: expected ?? oldest, to }, slice);
  // If the page is incomplete, read it without the lower bound. The bound is computed from totals. A total that is not
  // repaired yet may be too high, and the bound may then exclude events of the page.
  if (expected !== null && keys.length < page.limit) {
    keys = await listKeys(db, selection, { from: oldest, to }, slice);
  }
  return { events: await findEvents(db, programId, keys), total, clicksCompleteFrom };
}

/**
 * Finds a lower bound for the times of the page's events, so that the database reads only the partitions of the
 * page. Returns null if the page may reach the end of the list.
 */
function oldestOfPage(ranges: readonly CountedRange[], { offset, limit }: Page): number | null {
  const last = locateOffset(ranges, offset + limit);
  return last === null ? null : last.range.from;
}

/**
 * Finds the range that contains the event at the offset, and the offset within that range. Returns null if
 * the offset is after the last event.
 */
function locateOffset(
  ranges: readonly CountedRange[],
  offset: number,
): { readonly range: CountedRange; readonly offset: number } | null {
  let rest = offset;
  for (const range of ranges) {
    if (rest < range.count) return { range, offset: rest };
    rest -= range.count;
  }
  return null;
}

async function listKeys(
  db: Kysely<Schema>,
  { programId, sources }: ListedEvents,
  { from, to }: { readonly from: number; readonly to: number },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ListedKey[]> {
  // Each source reads only as many rows as the page may need, using an index. Only these rows are merged.
  const newest = sources.map(
    (source) => sql`SELECT * FROM (
      SELECT ${sql.lit(source.type)} AS type, id, ${sql.ref(source.at)} AS at
      ${eventsBetween(source, programId, from, to)}
      ORDER BY ${sql.ref(source.at)} DESC, id DESC LIMIT ${offset + limit}) AS ${sql.ref(source.type)}`,
  );
  const { rows } = await sql<ListedKey>`
    SELECT type, id, at FROM (${sql.join(newest, sql` UNION ALL `)}) AS events
    ORDER BY at DESC, type DESC, id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db);
  return rows;
}

/** Loads the rows with the given keys, in the order of the keys. */
async function findEvents(
  db: Kysely<Schema>,
  programId: number,
  keys: readonly ListedKey[],
): Promise<EventRow[]> {
  const ofType = (type: EventType) => keys.filter((key) => key.type === type);
  const [clicks, leads, sales] = await Promise.all([
    withCustomer(db, 'click_events', programId, ofType('click')),
    withCustomer(db, 'lead_events', programId, ofType('lead')),
    withCustomer(db, 'sales', programId, ofType('conversion')),
  ]);
  const eventRows = new Map<string, EventRow>([
    ...clicks.map((row) => [`click:${row.id}`, { type: 'click', row }] as const),
    ...leads.map((row) => [`lead:${row.id}`, { type: 'lead', row }] as const),
    ...sales.map((row) => [`conversion:${row.id}`, { type: 'conversion', row }] as const),
  ]);
  return keys.flatMap(({ type, id }) => eventRows.get(`${type}:${id}`) ?? []);
}

async function withCustomer<T extends 'click_events' | 'lead_events' | 'sales'>(
  db: Kysely<Schema>,
  table: T,
  programId: number,
  listed: readonly ListedKey[],
): Promise<(Selectable<Schema[T]> & OfCustomer)[]> {
  if (listed.length === 0) return [];
  const keys = listed.map(({ id }) => sql`(CAST(${id} AS BIGINT))`);
  const times = listed.map(({ at }) => at);
  // Postgres reads only the partitions of these times.
  const inTime =
    table === 'click_events'
      ? sql`AND events.click_at >= ${Math.min(...times)} AND events.click_at <= ${Math.max(...times)}`
      : sql``;
  // With an id list in WHERE, SQLite would read all events of the program. CROSS JOIN makes it start with
  // the ids.
  const rows = await sql<Selectable<Schema[T]> & OfCustomer>`
    WITH keys (id) AS (VALUES ${sql.join(keys)})
    SELECT events.*, customers.first_purchase_at,
      customers.link_id AS customer_link_id FROM keys CROSS JOIN ${sql.table(table)} AS events
    LEFT JOIN customers ON customers.program_id = events.program_id AND customers.id = events.customer_id
    WHERE events.program_id = ${programId} AND events.id = keys.id ${inTime}`.execute(db);
  return rows.rows;
}
