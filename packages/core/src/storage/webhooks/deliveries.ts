import type { WebhookEventType } from '@affkit/protocol';
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { insertRows } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import { DELIVERY_LIFETIME_MS } from './events.ts';

export type WebhookDeliveryRow = Selectable<Schema['webhook_deliveries']>;
export type WebhookAttemptRow = Selectable<Schema['webhook_attempts']>;
type DeliveryStatus = WebhookDeliveryRow['status'];

/** A delivery with its event. */
export interface DueDelivery extends WebhookDeliveryRow {
  readonly type: WebhookEventType;
  /** JSON. */
  readonly data: string;
  readonly event_at: number;
}

/** Lists the due deliveries of an endpoint, in the order in which they became due. */
export async function listDueDeliveries(
  db: Kysely<Schema>,
  endpointId: number,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<DueDelivery[]> {
  return await withEvents(db)
    .where('webhook_deliveries.endpoint_id', '=', endpointId)
    .where('run_at', 'is not', null)
    .where('run_at', '<=', now)
    .orderBy('run_at')
    .orderBy('webhook_deliveries.id')
    .limit(limit)
    .execute();
}

/** The result of an attempt to send a delivery. */
export interface AttemptResult {
  readonly delivery: DueDelivery;
  readonly status: DeliveryStatus;
  /** Null when the delivery is finished. */
  readonly runAt: number | null;
  readonly log: Omit<Insertable<Schema['webhook_attempts']>, 'id' | 'delivery_id' | 'attempt'>;
  readonly at: number;
}

/**
 * Stores the result of an attempt, and logs it. If the delivery is no longer queued, or another process has made an
 * attempt in the meantime, only the log is written. If a user has replayed the delivery during a failed attempt, the
 * delivery remains queued.
 * @returns the status of the delivery; null if only the log was written
 */
export async function finishAttempt(
  tx: Transaction,
  { delivery, status, runAt, log, at }: AttemptResult,
): Promise<DeliveryStatus | null> {
  // A replay changes the time at which the delivery expires.
  const unlessReplayed = <T>(column: 'status' | 'run_at' | 'finished_at', value: T) =>
    sql<T>`CASE WHEN expires_at = ${delivery.expires_at} THEN ${value} ELSE ${sql.ref(column)} END`;
  const finishedAt = runAt === null ? at : null;
  const updated = await tx.db
    .updateTable('webhook_deliveries')
    .set({
      attempts: delivery.attempts + 1,
      last_status: log.status ?? null,
      last_error: log.error ?? null,
      ...(status === 'succeeded'
        ? { status, run_at: runAt, finished_at: finishedAt }
        : {
            status: unlessReplayed('status', status),
            run_at: unlessReplayed('run_at', runAt),
            finished_at: unlessReplayed('finished_at', finishedAt),
          }),
    })
    .where('id', '=', delivery.id)
    .where('attempts', '=', delivery.attempts)
    .where('status', '=', 'queued')
    .returning('status')
    .executeTakeFirst();
  await insertRows(tx, 'webhook_attempts', [
    {
      delivery_id: delivery.id,
      attempt: delivery.attempts + 1,
      attempted_at: log.attempted_at,
      duration_ms: log.duration_ms,
      request_headers: log.request_headers,
      status: log.status ?? null,
      response_headers: log.response_headers ?? null,
      response_body: log.response_body ?? null,
      error: log.error ?? null,
    },
  ]);
  return updated?.status ?? null;
}

/** An endpoint, and the number of its deliveries that were given up. */
export interface DeadDeliveryCount {
  readonly endpointId: number;
  readonly count: number;
}

export async function hasExpiredDelivery(db: Kysely<Schema>, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('run_at', 'is not', null)
    .where('expires_at', '<=', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Gives up deliveries that could not be tried in time, because their endpoint was paused or blocked. Skips endpoints
 * that a process has leased, because that process may be sending the deliveries.
 * @returns the endpoints with the number of deliveries that were given up
 */
export async function expireDeliveries(
  tx: Transaction,
  now: number,
  limit: number,
): Promise<readonly DeadDeliveryCount[]> {
  const { rows } = await sql<{ endpoint_id: number }>`
    UPDATE webhook_deliveries SET status = 'failed', run_at = NULL, finished_at = ${now},
      last_error = coalesce(last_error, 'The endpoint was paused or not reachable for three days.')
    WHERE id IN (SELECT id FROM webhook_deliveries WHERE run_at IS NOT NULL AND expires_at <= ${now}
      AND NOT EXISTS (SELECT 1 FROM webhook_endpoints AS endpoints
        WHERE endpoints.id = webhook_deliveries.endpoint_id AND endpoints.leased_until > ${now})
      ORDER BY expires_at LIMIT ${sql.lit(limit)}
      ${tx.dialect === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``})
    RETURNING endpoint_id`.execute(tx.db);
  const byEndpoint = Map.groupBy(rows, (row) => row.endpoint_id);
  return [...byEndpoint].map(([endpointId, { length: count }]) => ({ endpointId, count }));
}

/** Gives up the queued deliveries of a deleted endpoint. An attempt in progress is still logged. */
export async function dropDeliveries(tx: Transaction, endpointId: number, now: number): Promise<void> {
  await tx.db
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', run_at: null, finished_at: now, last_error: 'The endpoint was deleted.' })
    .where('endpoint_id', '=', endpointId)
    .where('run_at', 'is not', null)
    .execute();
}

/** Selects deliveries of an endpoint. An absent field matches every delivery. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly type?: WebhookEventType | undefined;
  /** Bounds of the time of the event, inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Lists a page of deliveries, newest first. */
export async function listDeliveries(
  db: Kysely<Schema>,
  endpointId: number,
  filter: DeliveryFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ deliveries: WebhookDeliveryRow[]; total: number }> {
  const selected = selectDeliveries(db, endpointId, filter);
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const deliveries = await selected
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { deliveries, total };
}

export async function findDelivery(
  db: Kysely<Schema>,
  endpointId: number,
  id: number,
): Promise<DueDelivery | null> {
  const row = await withEvents(db)
    .where('webhook_deliveries.endpoint_id', '=', endpointId)
    .where('webhook_deliveries.id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Lists the attempts of a delivery, oldest first. */
export async function listAttempts(db: Kysely<Schema>, deliveryId: number): Promise<WebhookAttemptRow[]> {
  return await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('id')
    .execute();
}

/**
 * Queues deliveries again, oldest first. A delivery that is still queued becomes due now.
 * @returns the ids of the queued deliveries
 */
export async function requeueDeliveries(
  tx: Transaction,
  endpointId: number,
  filter: DeliveryFilter & { readonly afterId: number; readonly limit: number; readonly id?: number },
  now: number,
): Promise<number[]> {
  const selected = await selectDeliveries(tx.db, endpointId, filter)
    .select('id')
    .where('id', '>', filter.afterId)
    .$if(filter.id !== undefined, (query) => query.where('id', '=', filter.id ?? 0))
    .orderBy('id')
    .limit(filter.limit)
    .execute();
  const ids = selected.map(({ id }) => id);
  if (ids.length === 0) return [];
  await tx.db
    .updateTable('webhook_deliveries')
    .set((eb) => ({
      status: 'queued' as const,
      run_at: now,
      expires_at: now + DELIVERY_LIFETIME_MS,
      first_attempt: eb.ref('attempts'),
      finished_at: null,
    }))
    .where('id', 'in', ids)
    .execute();
  return ids;
}

export async function countDeliveries(
  db: Kysely<Schema>,
  endpointId: number,
  filter: DeliveryFilter,
): Promise<number> {
  const { total } = await selectDeliveries(db, endpointId, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function selectDeliveries(db: Kysely<Schema>, endpointId: number, filter: DeliveryFilter) {
  const { status, type, from, to } = filter;
  return db
    .selectFrom('webhook_deliveries')
    .where('endpoint_id', '=', endpointId)
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'queued'))
    .$if(type !== undefined, (query) => query.where('event_type', '=', type ?? 'webhook.test'))
    .$if(from !== undefined, (query) => query.where('created_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('created_at', '<=', to ?? 0));
}

function withEvents(db: Kysely<Schema>) {
  return db
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_events', 'webhook_events.id', 'webhook_deliveries.event_id')
    .selectAll('webhook_deliveries')
    .select(['webhook_events.type', 'webhook_events.data', 'webhook_events.created_at as event_at']);
}
