import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database/schema.ts';

/** The work that jobs still have to do. */
export interface Backlog {
  /** Tasks that jobs run after an event was stored, such as notifications and repairs. */
  readonly outbox: {
    readonly waiting: number;
    /** Tasks that have failed at least once. Jobs retry them without a limit. */
    readonly failing: number;
    /** The time of the oldest waiting task, or null. */
    readonly oldestAt: number | null;
    /** The error of a task that has failed, or null. */
    readonly lastError: string | null;
  };
  /** Webhooks to the endpoints of programs. */
  readonly webhooks: {
    readonly queued: number;
    /** Queued webhooks that have failed at least once. Jobs retry them for three days. */
    readonly failing: number;
    /** Endpoints that get no attempts for a while, because their last attempts failed. */
    readonly blockedEndpoints: number;
    /** Endpoints that a user has paused, or that answered with 410. */
    readonly pausedEndpoints: number;
  };
  readonly queuedEmails: number;
  readonly unsealedLedgerEntries: number;
  readonly payments: number;
  readonly payoutTransfers: number;
}

/** Failed work that jobs no longer retry. A person must look at it. */
export interface DeadLetters {
  /** Emails that were rejected, or that expired. They are deleted after 30 days. */
  readonly emails: number;
  /** Webhooks that were not delivered within three days. They are deleted after 30 days. */
  readonly webhooks: number;
  /** Payouts whose outcome at the provider is unknown. */
  readonly payoutTransfers: number;
}

export async function readBacklog(db: Kysely<Schema>, now: number): Promise<Backlog> {
  const outbox = await db
    .selectFrom('outbox')
    .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.min('created_at').as('oldestAt')])
    .executeTakeFirstOrThrow();
  const failing = db.selectFrom('outbox').where('attempts', '>', 0);
  const last = await failing.select('last_error').orderBy('run_at', 'desc').limit(1).executeTakeFirst();
  return {
    outbox: {
      ...outbox,
      failing: await count(failing.select(sql<number>`count(*)`.as('total'))),
      lastError: last?.last_error ?? null,
    },
    webhooks: await readWebhookBacklog(db, now),
    queuedEmails: await count(
      db
        .selectFrom('emails')
        .select(sql<number>`count(*)`.as('total'))
        .where('status', '=', sql.lit('queued')),
    ),
    unsealedLedgerEntries: await count(
      db
        .selectFrom('ledger_entries')
        .select(sql<number>`count(*)`.as('total'))
        .where('chain_position', 'is', null),
    ),
    payments: await count(db.selectFrom('pending_payments').select(sql<number>`count(*)`.as('total'))),
    payoutTransfers: await count(
      db
        .selectFrom('payout_transfers')
        .select(sql<number>`count(*)`.as('total'))
        .where('state', 'in', ['queued', 'sending', 'accepted']),
    ),
  };
}

async function readWebhookBacklog(db: Kysely<Schema>, now: number): Promise<Backlog['webhooks']> {
  const queued = db.selectFrom('webhook_deliveries').where('run_at', 'is not', null);
  const endpoints = db.selectFrom('webhook_endpoints').where('deleted_at', 'is', null);
  const total = sql<number>`count(*)`.as('total');
  return {
    queued: await count(queued.select(total)),
    failing: await count(queued.whereRef('attempts', '>', 'first_attempt').select(total)),
    blockedEndpoints: await count(
      endpoints.where('paused_at', 'is', null).where('blocked_until', '>', now).select(total),
    ),
    pausedEndpoints: await count(endpoints.where('paused_at', 'is not', null).select(total)),
  };
}

export async function readDeadLetters(db: Kysely<Schema>): Promise<DeadLetters> {
  return {
    emails: await count(
      db
        .selectFrom('emails')
        .select(sql<number>`count(*)`.as('total'))
        .where('status', '=', sql.lit('failed')),
    ),
    webhooks: await count(
      db
        .selectFrom('webhook_deliveries')
        .innerJoin('webhook_endpoints', 'webhook_endpoints.id', 'webhook_deliveries.endpoint_id')
        .select(sql<number>`count(*)`.as('total'))
        .where('webhook_deliveries.status', '=', 'failed')
        .where('webhook_endpoints.deleted_at', 'is', null),
    ),
    payoutTransfers: await count(
      db
        .selectFrom('payout_transfers')
        .select(sql<number>`count(*)`.as('total'))
        .where('state', '=', 'unclear'),
    ),
  };
}

async function count(query: {
  executeTakeFirstOrThrow(): Promise<{ readonly total: number }>;
}): Promise<number> {
  return (await query.executeTakeFirstOrThrow()).total;
}
