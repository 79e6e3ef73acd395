import type { SubscribableEventType } from '@affkit/protocol';
import { type Insertable, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

export type WebhookEndpointRow = Selectable<Schema['webhook_endpoints']>;

/** An endpoint that this process has leased. */
export interface LeasedEndpoint extends WebhookEndpointRow {
  /** The time when the lease began. */
  readonly leasedAt: number;
}

/** Stores an endpoint. The caller must lock the program, and then call `saveSubscriptions`. */
export async function insertEndpoint(
  tx: Transaction,
  endpoint: Insertable<Schema['webhook_endpoints']>,
): Promise<WebhookEndpointRow> {
  return await tx.db
    .insertInto('webhook_endpoints')
    .values(endpoint)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds an endpoint of the program that is not deleted. */
export async function findEndpoint(
  db: Kysely<Schema>,
  programId: number,
  id: number,
): Promise<WebhookEndpointRow | null> {
  return (await endpointsOf(db, programId).selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Finds an endpoint of any program, even if it is deleted. */
export async function findEndpointById(db: Kysely<Schema>, id: number): Promise<WebhookEndpointRow | null> {
  const row = await db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Lists all endpoints of the program, oldest first. */
export async function listEndpoints(db: Kysely<Schema>, programId: number): Promise<WebhookEndpointRow[]> {
  return await endpointsOf(db, programId).selectAll().orderBy('id').execute();
}

/** Lists the endpoints of all programs, oldest first. */
export async function listAllEndpoints(db: Kysely<Schema>): Promise<WebhookEndpointRow[]> {
  return await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

export async function updateEndpoint(
  tx: Transaction,
  id: number,
  change: Partial<Omit<WebhookEndpointRow, 'id' | 'workspace_id' | 'program_id' | 'created_at'>>,
): Promise<WebhookEndpointRow> {
  return await tx.db
    .updateTable('webhook_endpoints')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Unblocks an endpoint that failures have blocked. If the next attempt fails, the endpoint is blocked again. */
export async function unblockEndpoint(tx: Transaction, id: number): Promise<void> {
  await tx.db
    .updateTable('webhook_endpoints')
    .set({ blocked_until: 0 })
    .where('id', '=', id)
    .where('blocked_until', '>', 0)
    .execute();
}

/** Stores the event types to which the program's endpoints subscribe. The caller must lock the program. */
export async function saveSubscriptions(tx: Transaction, programId: number): Promise<void> {
  const endpoints = await listEndpoints(tx.db, programId);
  const types = new Set(endpoints.flatMap((endpoint) => eventTypesOf(endpoint)));
  await tx.db
    .updateTable('programs')
    .set({ webhook_events: types.size === 0 ? null : JSON.stringify([...types].sort()) })
    .where('id', '=', programId)
    .execute();
}

export function eventTypesOf({
  event_types,
}: Pick<WebhookEndpointRow, 'event_types'>): SubscribableEventType[] {
  return JSON.parse(event_types) as SubscribableEventType[];
}

/**
 * Lists endpoints that have due deliveries and no lease. The least recently served endpoints come first.
 * @param selection `isProven` selects either the proven endpoints or all others. An endpoint is proven if it has
 * succeeded since `provenSince` and has not failed after its last success
 */
export async function findDueEndpoints(
  db: Kysely<Schema>,
  {
    now,
    limit,
    isProven,
    provenSince,
  }: {
    readonly now: number;
    readonly limit: number;
    readonly isProven: boolean;
    readonly provenSince: number;
  },
): Promise<number[]> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('deleted_at', 'is', null)
    .where('paused_at', 'is', null)
    .where('leased_until', '<=', now)
    .where('blocked_until', '<=', now)
    .where((eb) =>
      isProven
        ? eb.and([eb('failures', '=', 0), eb('last_success_at', '>=', provenSince)])
        : eb.or([
            eb('failures', '>', 0),
            eb('last_success_at', 'is', null),
            eb('last_success_at', '<', provenSince),
          ]),
    )
    .where(
      sql<SqlBool>`EXISTS (SELECT 1 FROM webhook_deliveries AS due
        WHERE due.endpoint_id = webhook_endpoints.id AND due.run_at IS NOT NULL AND due.run_at <= ${now})`,
    )
    .orderBy('leased_until')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Leases an endpoint to the caller until `leasedUntil`. @returns null when another process has leased it */
export async function leaseEndpoint(
  tx: Transaction,
  id: number,
  { now, leasedUntil }: { readonly now: number; readonly leasedUntil: number },
): Promise<LeasedEndpoint | null> {
  const row = await tx.db
    .updateTable('webhook_endpoints')
    .set((eb) => ({ leased_until: leasedUntil, lease: eb('lease', '+', 1) }))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where('paused_at', 'is', null)
    .where('leased_until', '<=', now)
    .where('blocked_until', '<=', now)
    .returningAll()
    .executeTakeFirst();
  return row ? { ...row, leasedAt: now } : null;
}

/** The result of a round. In a round, a process leases an endpoint and sends some of its deliveries. */
export interface RoundResult {
  readonly succeeded: boolean;
  readonly failed: number;
  /** Whether the endpoint answered with 410. */
  readonly isGone: boolean;
  readonly blockedUntil: number;
  readonly at: number;
}

/**
 * Stores the result of a round, and ends the lease. If another process has taken over the lease, nothing is stored,
 * because only that process may change the endpoint. If a user has changed the URL, paused the endpoint, or deleted it
 * during the round, only the lease ends.
 * @returns `paused` if this round paused the endpoint, `moved` if the URL was changed during the round
 */
export async function finishRound(
  tx: Transaction,
  { id, lease, url, failures, blocked_until }: LeasedEndpoint,
  { succeeded, failed, isGone, blockedUntil, at }: RoundResult,
): Promise<'paused' | 'moved' | 'finished'> {
  const update = tx.db
    .updateTable('webhook_endpoints')
    .set({ leased_until: at })
    .where('id', '=', id)
    .where('lease', '=', lease);
  const updated = await update
    .set({
      failures: succeeded ? 0 : failures + failed,
      // If a user has unblocked the endpoint during the round, the next attempt must not wait.
      blocked_until: succeeded
        ? 0
        : sql<number>`CASE WHEN blocked_until = ${blocked_until} THEN ${blockedUntil} ELSE blocked_until END`,
      ...(succeeded && { last_success_at: at }),
      ...(failed > 0 && { last_failure_at: at }),
      ...(isGone && { paused_at: at, pause_reason: 'gone' as const }),
    })
    .where('url', '=', url)
    .where('paused_at', 'is', null)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (updated) return isGone ? 'paused' : 'finished';
  const released = await update.returning('url').executeTakeFirst();
  return released === undefined || released.url === url ? 'finished' : 'moved';
}

function endpointsOf(db: Kysely<Schema>, programId: number) {
  return db
    .selectFrom('webhook_endpoints')
    .where('program_id', '=', programId)
    .where('deleted_at', 'is', null);
}
