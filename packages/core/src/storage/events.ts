import { type Kysely, type Selectable, sql } from 'kysely';
import type { TimeRange } from '../domain/date-bound.ts';
import type { Schema } from './schema.ts';

export type EventType = 'click' | 'lead' | 'conversion';

/** An event of any kind, with its customer's first purchase, which tells whether it converted. */
export type EventRow =
  | { readonly type: 'click'; readonly row: Selectable<Schema['click_events']> & Converted }
  | { readonly type: 'lead'; readonly row: Selectable<Schema['lead_events']> & Converted }
  | { readonly type: 'conversion'; readonly row: Selectable<Schema['sales']> };

interface Converted {
  readonly first_purchase_at: number | null;
}

const SOURCES = [
  { type: 'click', table: 'click_events', at: 'click_at' },
  { type: 'lead', table: 'lead_events', at: 'lead_at' },
  { type: 'conversion', table: 'sales', at: 'sale_at' },
] as const;

type Source = (typeof SOURCES)[number];

/** One page of a program's real events, newest first; ties break by type, then id, both descending. */
export async function listEvents(
  db: Kysely<Schema>,
  programId: number,
  filter: { readonly type: EventType | null; readonly range: TimeRange },
  page: { readonly offset: number; readonly limit: number },
): Promise<{ events: EventRow[]; total: number }> {
  const sources = SOURCES.filter((source) => filter.type === null || source.type === filter.type);
  const inRange = (source: Source) =>
    sql`program_id = ${programId} AND is_test = 0
      AND ${sql.ref(source.at)} >= ${filter.range.from ?? Number.MIN_SAFE_INTEGER}
      AND ${sql.ref(source.at)} <= ${filter.range.to ?? Number.MAX_SAFE_INTEGER}`;
  const counts = await Promise.all(
    sources.map((source) =>
      sql<{
        total: number;
      }>`SELECT count(*) AS total FROM ${sql.table(source.table)} WHERE ${inRange(source)}`.execute(db),
    ),
  );
  const total = counts.reduce((sum, { rows }) => sum + Number(rows[0]?.total ?? 0), 0);
  const keys = sources.map(
    (source) =>
      sql`SELECT ${sql.lit(source.type)} AS type, id, ${sql.ref(source.at)} AS at
        FROM ${sql.table(source.table)} WHERE ${inRange(source)}`,
  );
  const ordered = await sql<{ type: EventType; id: number }>`
    SELECT type, id FROM (${sql.join(keys, sql` UNION ALL `)}) AS events
    ORDER BY at DESC, type DESC, id DESC LIMIT ${page.limit} OFFSET ${page.offset}`.execute(db);
  return { events: await findEvents(db, programId, ordered.rows), total };
}

/** The rows of those keys, in their order. */
async function findEvents(
  db: Kysely<Schema>,
  programId: number,
  keys: readonly { type: EventType; id: number }[],
): Promise<EventRow[]> {
  // A list that is empty is no SQL.
  const idsOf = (type: EventType) => [0, ...keys.filter((key) => key.type === type).map((key) => key.id)];
  const [clicks, leads, sales] = await Promise.all([
    withCustomer(db, 'click_events', programId, idsOf('click')),
    withCustomer(db, 'lead_events', programId, idsOf('lead')),
    db
      .selectFrom('sales')
      .selectAll()
      .where('program_id', '=', programId)
      .where('id', 'in', idsOf('conversion'))
      .execute(),
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
  const rows = await sql<Selectable<Schema[T]> & Converted>`
    SELECT events.*, customers.first_purchase_at FROM ${sql.table(table)} AS events
    LEFT JOIN customers ON customers.program_id = events.program_id AND customers.id = events.customer_id
    WHERE events.program_id = ${programId} AND events.id IN (${sql.join(ids)})`.execute(db);
  return rows.rows;
}
