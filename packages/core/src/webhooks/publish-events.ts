import type { SubscribableEventType } from '@affkit/protocol';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { findSubscriptions, insertWebhookEvents, type NewWebhookEvent } from '../storage/webhooks/events.ts';

/** A program as it was read in the transaction that publishes its events. */
export type Publisher = Pick<ProgramAccount, 'id' | 'webhookEvents'>;

/** An event, and the program that it belongs to. */
export interface ProgramEvent {
  readonly program: Publisher;
  readonly event: NewWebhookEvent;
}

/** Whether an endpoint of the program subscribes to one of the types. */
export function isSubscribed(
  { webhookEvents }: Publisher,
  ...types: readonly SubscribableEventType[]
): boolean {
  return webhookEvents.length > 0 && types.some((type) => webhookEvents.includes(type));
}

/**
 * Stores events and their deliveries, in the same transaction as the changes that the events report. Skips events
 * to which no endpoint subscribes. If all events are skipped, no statement is run.
 */
export async function publishEvents(
  tx: Transaction,
  events: readonly ProgramEvent[],
  at: number,
): Promise<void> {
  const wanted = events.filter(({ program, event }) => program.webhookEvents.includes(event.type));
  if (wanted.length === 0) return;
  await insertWebhookEvents(
    tx,
    wanted.map(({ program, event }) => ({ ...event, programId: program.id })),
    at,
  );
}

/**
 * Loads the event types to which endpoints of the program subscribe. A transaction that has read the program
 * already knows these types from `webhookEvents`, and does not need this function.
 */
export async function loadPublisher(tx: Transaction, programId: number): Promise<Publisher> {
  const [publisher] = await loadPublishers(tx, [programId]);
  return publisher ?? { id: programId, webhookEvents: [] };
}

/** Loads the programs that have endpoints. Other programs are left out. */
export async function loadPublishers(tx: Transaction, programIds: readonly number[]): Promise<Publisher[]> {
  const subscriptions = await findSubscriptions(tx.db, programIds);
  return [...subscriptions].map(([id, types]) => ({
    id,
    webhookEvents: JSON.parse(types) as Publisher['webhookEvents'],
  }));
}
