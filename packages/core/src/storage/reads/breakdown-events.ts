import { setTimeout as delay } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { BreakdownEvent, BreakdownMeasure, BreakdownVisit } from '../../domain/breakdown.ts';
import { DAY_MS } from '../../domain/calendar.ts';
import type { Engine, Snapshot } from '../database/engine/engine.ts';
import { arrayText } from '../database/row-parameters.ts';
import { withoutIndex } from '../database/without-index.ts';
import { joinFirstClick } from './first-click.ts';
import type { LinkEventIds } from './link-events.ts';
import { sinceCounted } from './uncounted-clicks.ts';

/**
 * One id for each kind of event. In the stored progress, all events up to the id have been counted. In the result of
 * `findSettledIds`, all events up to the id can be counted now, because no new event with such an id can appear.
 */
export interface BreakdownEventIds {
  readonly click: number;
  readonly lead: number;
  readonly sale: number;
}

export const COUNTED_EVENT_KINDS = ['click', 'lead', 'sale'] as const;
export type CountedEventKind = (typeof COUNTED_EVENT_KINDS)[number];

const COUNTED_EVENT_TABLES = {
  click: { table: 'click_events', at: 'click_at' },
  lead: { table: 'lead_events', at: 'lead_at' },
  sale: { table: 'sales', at: 'sale_at' },
} as const;

/** An event and its id. Events are counted in the order of their ids. */
export type StoredBreakdownEvent = BreakdownEvent & { readonly id: number };

const POLL_MS = 20;
const MAX_POLLS = 50;

/**
 * Finds ids up to which no new event can appear. On Postgres, an event may be committed after another event
 * with a higher id. The function therefore waits for all transactions that may still commit an event with a
 * lower id.
 * @returns null when one of these transactions is still running after a second
 */
export async function findSettledIds({ dialect, read }: Engine): Promise<LinkEventIds | null> {
  const ids = await findLatestIds({ dialect, read });
  if (dialect === 'sqlite') return ids;
  // An insert locks its table before it gets an id, and holds the lock until its transaction ends. On Citus, the insert
  // into `shard_commit_markers` generates the ids of visits, so the locks of this table are checked too.
  const writers = (running: RawBuilder<unknown>) =>
    sql<{ writer: string }>`SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
      WHERE mode = 'RowExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relation IN ('click_events'::regclass, 'lead_events'::regclass, 'sales'::regclass, 'commissions'::regclass,
        'shard_commit_markers'::regclass) AND ${running}`.execute(read);
  let { rows } = await writers(sql`TRUE`);
  for (let poll = 0; rows.length > 0 && poll < MAX_POLLS; poll++) {
    await delay(POLL_MS);
    ({ rows } = await writers(
      sql`virtualtransaction = ANY(${arrayText(rows.map(({ writer }) => writer))}::text[])`,
    ));
  }
  return rows.length === 0 ? ids : null;
}

/**
 * Finds the highest ids. On Postgres, they are read from the sequences. The indexes begin with `program_id`, so
 * `max(id)` would read the whole table.
 */
async function findLatestIds({ dialect, read }: Pick<Engine, 'dialect' | 'read'>): Promise<LinkEventIds> {
  const latest = async (table: string) => {
    const { rows } =
      dialect === 'sqlite'
        ? await sql<{ id: number | null }>`SELECT MAX(id) AS id FROM ${sql.table(table)}`.execute(read)
        : await sql<{ id: number | null }>`SELECT
            pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass) AS id`.execute(read);
    return rows[0]?.id ?? 0;
  };
  return {
    click: await latest('click_events'),
    lead: await latest('lead_events'),
    sale: await latest('sales'),
    commission: await latest('commissions'),
  };
}

/** A batch of at most `n` events spans at most `n` times this many ids. */
const IDS_PER_EVENT = 16;

/**
 * Lists the next real events by id, with the first click of each customer. The first click never changes, so
 * the values of an event do not depend on the time when it is counted.
 *
 * A batch spans a limited range of ids. Otherwise, Postgres may use a plan that it made when the table
 * was small. Such a plan reads all later events for each batch.
 * @param programId null lists the events of all programs; use it only on SQLite, because Postgres has no index for it
 * @returns the events, and the id up to which the list is complete
 */
export async function listNextBreakdownEvents(
  snapshot: Snapshot,
  kind: CountedEventKind,
  programId: number | null,
  range: {
    readonly after: number;
    readonly upTo: number;
    readonly limit: number;
    readonly asOf: number | null;
  },
): Promise<{ events: StoredBreakdownEvent[]; lastId: number }> {
  const { after, upTo, limit, asOf } = range;
  // The condition on the time lets Postgres skip partitions. SQLite gets no such condition, because it might
  // then use an index on the time instead of the one on the ids.
  const ofProgram =
    programId === null
      ? sql`TRUE`
      : sql`e.program_id = ${programId} ${kind === 'click' ? sinceCounted(asOf) : sql``}`;
  const found = await sql<{
    id: number | null;
  }>`SELECT MIN(e.id) AS id FROM ${sql.table(COUNTED_EVENT_TABLES[kind].table)} AS e
    WHERE ${ofProgram} AND e.id > ${after} AND e.id <= ${upTo}`.execute(snapshot.db);
  const firstId = found.rows[0]?.id ?? null;
  if (firstId === null) return { events: [], lastId: upTo };
  const lastId = Math.min(upTo, firstId + limit * IDS_PER_EVENT);
  const events = await selectCountedEvents(
    snapshot,
    kind,
    sql`${ofProgram} AND e.id >= ${firstId} AND e.id <= ${lastId} AND ${withoutIndex('e.is_test')} = 0
      ORDER BY e.id LIMIT ${limit}`,
  );
  return { events, lastId: events.length === limit ? (events.at(-1)?.id ?? lastId) : lastId };
}

/** Lists a batch of the program's real events on a UTC day, sorted by time and id. */
export function listBreakdownEventsOfDay(
  snapshot: Snapshot,
  kind: CountedEventKind,
  { programId, day, upTo }: { readonly programId: number; readonly day: number; readonly upTo: number },
  after: { readonly at: number; readonly id: number } | null,
  limit: number,
): Promise<StoredBreakdownEvent[]> {
  const at = sql.ref(`e.${COUNTED_EVENT_TABLES[kind].at}`);
  const from = after ? sql`AND (${at}, e.id) > (${after.at}, ${after.id})` : sql``;
  return selectCountedEvents(
    snapshot,
    kind,
    sql`e.program_id = ${programId} AND e.is_test = 0 AND ${at} >= ${day * DAY_MS} AND ${at} < ${(day + 1) * DAY_MS}
      AND e.id <= ${upTo} ${from} ORDER BY ${at}, e.id LIMIT ${limit}`,
  );
}

interface EventRow extends BreakdownVisit {
  readonly id: number;
  readonly program_id: number;
  readonly at: number;
  readonly amount_cents: number | null;
  readonly currency: string | null;
}

async function selectCountedEvents(
  { dialect, db }: Snapshot,
  kind: CountedEventKind,
  condition: RawBuilder<unknown>,
): Promise<StoredBreakdownEvent[]> {
  const { table, at } = COUNTED_EVENT_TABLES[kind];
  const amount =
    kind === 'sale' ? sql`e.amount_cents, e.currency` : sql`NULL AS amount_cents, NULL AS currency`;
  const visit = kind === 'click' ? sql`e` : sql`c`;
  const firstClick = kind === 'click' ? sql`` : joinFirstClick(dialect);
  const { rows } = await sql<EventRow>`SELECT e.id, e.program_id, ${sql.ref(`e.${at}`)} AS at, ${amount},
      ${visit}.geo_country, ${visit}.referrer_url, ${visit}.device_type, ${visit}.device_os,
      ${visit}.browser_name, ${visit}.page_url
    FROM ${sql.table(table)} AS e ${firstClick} WHERE ${condition}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    programId: row.program_id,
    at: row.at,
    amounts: countedAmountsOf(kind, row),
    visit: row,
  }));
}

function countedAmountsOf(kind: CountedEventKind, row: EventRow): (readonly [BreakdownMeasure, number])[] {
  if (kind === 'click') return [['clicks', 1]];
  if (kind === 'lead') return [['leads', 1]];
  return [
    ['sales', 1],
    [`revenue:${row.currency}`, row.amount_cents ?? 0],
  ];
}
