import type { WebhookData, WebhookEventType } from '@affkit/protocol';
import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../domain/calendar.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { insertRows } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';

/** How long a delivery is retried. The time starts with the event, or when a user last replayed the delivery. */
export const DELIVERY_LIFETIME_MS = 3 * DAY_MS;

/** A new event of a program, before it is stored. */
export type NewWebhookEvent = {
  readonly [Type in WebhookEventType]: {
    readonly type: Type;
    readonly data: WebhookData<Type>;
    /** A second event of the program with the same key is not stored. */
    readonly dedupeKey?: string;
  };
}[WebhookEventType];

/** Stores events, and a delivery for each endpoint of the program that subscribes to the type of the event. */
export async function insertWebhookEvents(
  tx: Transaction,
  events: readonly (NewWebhookEvent & { readonly programId: number })[],
  at: number,
): Promise<void> {
  const ids = await insertEvents(tx, events, at);
  if (ids.length === 0) return;
  await sql`INSERT INTO webhook_deliveries
    (endpoint_id, event_id, event_type, status, run_at, expires_at, created_at)
    SELECT endpoints.id, events.id, events.type, 'queued', events.created_at,
      events.created_at + ${sql.lit(DELIVERY_LIFETIME_MS)}, events.created_at
    FROM webhook_events AS events
    JOIN webhook_endpoints AS endpoints ON endpoints.program_id = events.program_id
      AND endpoints.deleted_at IS NULL AND endpoints.event_types LIKE '%"' || events.type || '"%'
    WHERE events.id IN (${sql.join(ids)}) ORDER BY events.id, endpoints.id`.execute(tx.db);
}

/** Stores an event for a single endpoint, which need not subscribe to its type. @returns the id of the delivery */
export async function insertTestDelivery(
  tx: Transaction,
  endpointId: number,
  event: NewWebhookEvent & { readonly programId: number },
  at: number,
): Promise<number> {
  const [eventId] = await insertEvents(tx, [event], at);
  const { id } = await tx.db
    .insertInto('webhook_deliveries')
    .values({
      endpoint_id: endpointId,
      event_id: eventId ?? Number.NaN,
      event_type: event.type,
      status: 'queued',
      run_at: at,
      expires_at: at + DELIVERY_LIFETIME_MS,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function insertEvents(
  tx: Transaction,
  events: readonly (NewWebhookEvent & { readonly programId: number })[],
  at: number,
): Promise<number[]> {
  const rows = events.map(({ programId, type, data, dedupeKey }) => ({
    program_id: programId,
    type,
    data: JSON.stringify(data),
    dedupe_key: dedupeKey ?? null,
    created_at: at,
  }));
  const stored = await insertRows<{ id: number }>(
    tx,
    'webhook_events',
    rows,
    sql`ON CONFLICT DO NOTHING RETURNING id`,
  );
  return stored.map(({ id }) => id);
}

/** Reads the types to which endpoints of the programs subscribe, as JSON lists. Programs without endpoints are left out. */
export async function findSubscriptions(
  db: Kysely<Schema>,
  programIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('programs')
    .select(['id', 'webhook_events'])
    .where('id', 'in', idList(programIds))
    .where('webhook_events', 'is not', null)
    .execute();
  return new Map(
    rows.flatMap(({ id, webhook_events }) => (webhook_events === null ? [] : [[id, webhook_events]])),
  );
}
