import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database/schema.ts';
import { WHOLE_PROGRAM } from '../tracking/total-owner.ts';

/**
 * The number of real events of one kind in a program, and the times of the latest real event and the latest test
 * event. Without a real event, `lastAt` is null. Without a test event, `lastTestAt` is null.
 */
export interface ReceivedEvents {
  readonly total: number;
  readonly lastAt: number | null;
  readonly lastTestAt: number | null;
  /** The latest rejected call. */
  readonly lastRefusal: { readonly code: string; readonly reason: string; readonly at: number } | null;
}

export const SETUP_EVENT_KINDS = ['click', 'lead', 'sale', 'refund'] as const;
export type SetupEventKind = (typeof SETUP_EVENT_KINDS)[number];

const RECEIVED_EVENT_TABLES = {
  click: { table: 'click_events', at: 'click_at', measure: 'clicks' },
  lead: { table: 'lead_events', at: 'lead_at', measure: 'leads' },
  sale: { table: 'sales', at: 'sale_at', measure: 'sales' },
} as const;

/**
 * Finds the number and times of a program's events of each kind. For clicks, leads, and sales, it reads indexes and
 * daily totals instead of counting the events.
 */
export async function findReceivedEvents(
  db: Kysely<Schema>,
  programId: number,
): Promise<Readonly<Record<SetupEventKind, ReceivedEvents>>> {
  const totals = await sumReceivedEvents(db, programId);
  const [click, lead, sale, refund] = await Promise.all(
    SETUP_EVENT_KINDS.map(async (kind): Promise<ReceivedEvents> => {
      const lastRefusal = await findLastRefusal(db, programId, kind);
      if (kind === 'refund') return { ...(await findReceivedRefunds(db, programId)), lastRefusal };
      const { table, at, measure } = RECEIVED_EVENT_TABLES[kind];
      const lastAt = await findLatestEventAt(db, programId, table, at, 0);
      const lastTestAt = await findLatestEventAt(db, programId, table, at, 1);
      return { total: totals.get(measure) ?? 0, lastAt, lastTestAt, lastRefusal };
    }),
  );
  if (!click || !lead || !sale || !refund) throw new Error('An event kind is missing from the result');
  return { click, lead, sale, refund };
}

async function sumReceivedEvents(
  db: Kysely<Schema>,
  programId: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('daily_totals')
    .select((eb) => ['measure', eb.fn.sum<number>('value').as('total')])
    .where('program_id', '=', programId)
    .where('partner_id', '=', WHOLE_PROGRAM)
    .where('measure', 'in', ['clicks', 'leads', 'sales'])
    .groupBy('measure')
    .execute();
  return new Map(rows.map(({ measure, total }) => [measure, Number(total)]));
}

async function findLatestEventAt(
  db: Kysely<Schema>,
  programId: number,
  table: (typeof RECEIVED_EVENT_TABLES)[keyof typeof RECEIVED_EVENT_TABLES]['table'],
  at: string,
  isTest: 0 | 1,
): Promise<number | null> {
  const time = sql<number>`${sql.ref(at)}`;
  const row = await db
    .selectFrom(table)
    .select(time.as('at'))
    .where('program_id', '=', programId)
    .where('is_test', '=', isTest)
    .orderBy(time, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}

async function findReceivedRefunds(
  db: Kysely<Schema>,
  programId: number,
): Promise<Omit<ReceivedEvents, 'lastRefusal'>> {
  const { total, lastAt } = await db
    .selectFrom('refunds')
    .select((eb) => [eb.fn.countAll<number>().as('total'), eb.fn.max('refund_at').as('lastAt')])
    .where('program_id', '=', programId)
    // A failed refund adds a row with a negative amount, which is not another refund.
    .where('applied_cents', '>=', 0)
    .executeTakeFirstOrThrow();
  const test = await db
    .selectFrom('test_refunds')
    .select((eb) => eb.fn.max('refund_at').as('lastAt'))
    .where('program_id', '=', programId)
    .executeTakeFirst();
  return { total, lastAt, lastTestAt: test?.lastAt ?? null };
}

async function findLastRefusal(
  db: Kysely<Schema>,
  programId: number,
  route: SetupEventKind,
): Promise<ReceivedEvents['lastRefusal']> {
  const row = await db
    .selectFrom('refusals')
    .select(['code', 'reason', 'refused_at as at'])
    .where('program_id', '=', programId)
    .where('route', '=', route)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Finds the workspace's newest connection, and the latest verified webhook of this connection. Disconnected
 * connections are ignored.
 */
export async function findLatestWebhook(db: Kysely<Schema>, workspaceId: number) {
  const connection = await db
    .selectFrom('processor_connections')
    .select(['id', 'mode', 'connected_at as connectedAt'])
    .where('workspace_id', '=', workspaceId)
    .where('disconnected_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!connection) return null;
  const last = await db
    .selectFrom('processor_events')
    .select(['type', 'outcome', 'reason', 'received_at as receivedAt'])
    .where('connection_id', '=', connection.id)
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { ...connection, last: last ?? null };
}
