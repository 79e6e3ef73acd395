import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { UniqueConflict } from '../database/retry-on-conflict.ts';
import type { Schema } from '../database/schema.ts';

export type ProcessorEventRow = Selectable<Schema['processor_events']>;

/** Finds the stored decision about an event and locks its row until the transaction ends. */
export async function lockProcessorEvent(
  tx: Transaction,
  connectionId: number,
  eventId: string,
): Promise<ProcessorEventRow | null> {
  const row = await tx.db
    .selectFrom('processor_events')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('event_id', '=', eventId)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Stores the decision about an event.
 * @param refs the payment ids in the event; stored only with the first decision
 * @param before the stored decision to replace, or null when there is none
 * @throws UniqueConflict when another process has stored a decision in the meantime
 */
export async function saveProcessorEvent(
  tx: Transaction,
  event: ProcessorEventRow,
  refs: readonly string[],
  before: ProcessorEventRow | null,
): Promise<void> {
  const { connection_id, event_id, workspace_id } = event;
  if (before) {
    await tx.db
      .updateTable('processor_events')
      .set(event)
      .where('connection_id', '=', connection_id)
      .where('event_id', '=', event_id)
      .execute();
    return;
  }
  const inserted = await tx.db
    .insertInto('processor_events')
    .values(event)
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .executeTakeFirst();
  if (!inserted) throw new UniqueConflict('Another process has stored a decision on the event');
  if (refs.length === 0) return;
  await tx.db
    .insertInto('processor_event_refs')
    .values(refs.map((ref) => ({ workspace_id, ref, connection_id, event_id })))
    .execute();
}

/** Whether an event of the payment was ignored for one of the given reasons. */
export async function wasPaymentIgnored(
  db: Kysely<Schema>,
  workspaceId: number,
  refs: readonly string[],
  reasons: readonly string[],
): Promise<boolean> {
  const row = await db
    .selectFrom('processor_event_refs')
    .innerJoin('processor_events', (join) =>
      join
        .onRef('processor_events.connection_id', '=', 'processor_event_refs.connection_id')
        .onRef('processor_events.event_id', '=', 'processor_event_refs.event_id'),
    )
    .select('processor_events.event_id')
    .where('processor_event_refs.workspace_id', '=', workspaceId)
    .where('processor_event_refs.ref', 'in', refs)
    .where('processor_events.outcome', '=', 'ignored')
    .where('processor_events.reason', 'in', reasons)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
