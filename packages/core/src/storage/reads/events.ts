import { type Kysely, type Selectable, sql } from 'kysely';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Schema } from '../database/schema.ts';
import { type Counted, type CountedRange, listRanges, splitByHours } from './event-ranges.ts';
import { type EventType, eventsBetween, sourcesOf } from './event-sources.ts';

/** An event of any kind, with its customer's first purchase, which tells whether it converted. */
export type EventRow =
  | { readonly type: 'click'; readonly row: Selectable<Schema['click_events']> & Converted }
  | { readonly type: 'lead'; readonly row: Selectable<Schema['lead_events']> & Converted }
  | { readonly type: 'conversion'; readonly row: Selectable<Schema['sales']> };

interface Converted {
  readonly first_purchase_at: number | null;
}

/** More events than these are not skipped one by one: their hour is looked up. */
const SKIPPED_AT_MOST = 200;

interface EventKey {
  readonly type: EventType;
  readonly id: number;
}

/**
 * One page of a program's real events, newest first; ties break by type, then id, both descending. What lies before
 * the page is skipped by the totals, never read: events that come in meanwhile move it, as they move any page.
 */
export async function listEvents(
  db: Kysely<Schema>,
  programId: number,
  filter: { readonly type: EventType | null; readonly range: TimeRange },
  page: { readonly offset: number; readonly limit: number },
): Promise<{ events: EventRow[]; total: number }> {
  const counted: Counted = { programId, sources: sourcesOf(filter.type) };
  const stretches = await listRanges(db, counted, filter.range);
  const total = stretches.reduce((sum, { count }) => sum + count, 0);
  const oldest = filter.range.from ?? Number.MIN_SAFE_INTEGER;
  let place = findPlace(stretches, page.offset);
  if (place !== null && place.offset > SKIPPED_AT_MOST) {
    place = findPlace(await splitByHours(db, counted, place.stretch), place.offset);
  }
  if (place === null) return { events: [], total };
  const range = { from: oldest, to: place.stretch.to };
  const keys = await listKeys(db, counted, range, { offset: place.offset, limit: page.limit });
  return { events: await findEvents(db, programId, keys), total };
}

/** In which of the stretches the event of that offset lies, and at which offset there; null beyond them. */
function findPlace(
  stretches: readonly CountedRange[],
  offset: number,
): { readonly stretch: CountedRange; readonly offset: number } | null {
  let rest = offset;
  for (const stretch of stretches) {
    if (rest < stretch.count) return { stretch, offset: rest };
    rest -= stretch.count;
  }
  return null;
}

async function listKeys(
  db: Kysely<Schema>,
  { programId, sources }: Counted,
  { from, to }: { readonly from: number; readonly to: number },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<EventKey[]> {
  // Each source gives no more than the page could need of it, by index; only these are merged.
  const newest = sources.map(
    (source) => sql`SELECT * FROM (
      SELECT ${sql.lit(source.type)} AS type, id, ${sql.ref(source.at)} AS at
      ${eventsBetween(source, programId, from, to)}
      ORDER BY ${sql.ref(source.at)} DESC, id DESC LIMIT ${offset + limit}) AS ${sql.ref(source.type)}`,
  );
  const { rows } = await sql<EventKey>`
    SELECT type, id FROM (${sql.join(newest, sql` UNION ALL `)}) AS events
    ORDER BY at DESC, type DESC, id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db);
  return rows;
}

/** The rows of those keys, in their order. */
async function findEvents(
  db: Kysely<Schema>,
  programId: number,
  keys: readonly EventKey[],
): Promise<EventRow[]> {
  const idsOf = (type: EventType) => keys.filter((key) => key.type === type).map((key) => key.id);
  const [clicks, leads, sales] = await Promise.all([
    withCustomer(db, 'click_events', programId, idsOf('click')),
    withCustomer(db, 'lead_events', programId, idsOf('lead')),
    salesOf(db, programId, idsOf('conversion')),
  ]);
  const found = new Map<string, EventRow>([
    ...clicks.map((row) => [`click:${row.id}`, { type: 'click', row }] as const),
    ...leads.map((row) => [`lead:${row.id}`, { type: 'lead', row }] as const),
    ...sales.map((row) => [`conversion:${row.id}`, { type: 'conversion', row }] as const),
  ]);
  return keys.flatMap(({ type, id }) => found.get(`${type}:${id}`) ?? []);
}

async function withCustomer<T extends 'click_events' | 'lead_events'>(
  db: Kysely<Schema>,
  table: T,
  programId: number,
  ids: readonly number[],
): Promise<(Selectable<Schema[T]> & Converted)[]> {
  if (ids.length === 0) return [];
  const keys = ids.map((id) => sql`(CAST(${id} AS BIGINT))`);
  // A list of ids beside the program makes SQLite read the whole program; CROSS JOIN starts it with the ids.
  const rows = await sql<Selectable<Schema[T]> & Converted>`
    WITH keys (id) AS (VALUES ${sql.join(keys)})
    SELECT events.*, customers.first_purchase_at FROM keys CROSS JOIN ${sql.table(table)} AS events
    LEFT JOIN customers ON customers.program_id = events.program_id AND customers.id = events.customer_id
    WHERE events.program_id = ${programId} AND events.id = keys.id`.execute(db);
  return rows.rows;
}

async function salesOf(
  db: Kysely<Schema>,
  programId: number,
  ids: readonly number[],
): Promise<Selectable<Schema['sales']>[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('sales')
    .selectAll()
    .where('program_id', '=', programId)
    .where('id', 'in', ids)
    .execute();
}
