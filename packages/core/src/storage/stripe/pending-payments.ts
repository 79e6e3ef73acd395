import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

export type PendingPayment = Selectable<Schema['pending_payments']>;

/**
 * Stores a payment that waits for an event with more details. The event that reported the payment must be stored
 * already.
 */
export async function insertPendingPayment(
  tx: Transaction,
  payment: Insertable<Schema['pending_payments']>,
): Promise<void> {
  await tx.db.insertInto('pending_payments').values(payment).execute();
}

/**
 * Lists due payments, oldest due time first. Each must be processed in the write lane of its workspace; see
 * `Engine.write`.
 */
export async function findDuePayments(
  db: Kysely<Schema>,
  now: number,
  limit: number,
): Promise<Pick<PendingPayment, 'workspace_id' | 'connection_id' | 'event_id'>[]> {
  return await db
    .selectFrom('pending_payments')
    .select(['workspace_id', 'connection_id', 'event_id'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

/** Lists the waiting events of a payment, oldest due time first. @param refs all known ids of the payment */
export async function listPendingEvents(
  db: Kysely<Schema>,
  workspaceId: number,
  refs: readonly string[],
): Promise<Pick<PendingPayment, 'payment'>[]> {
  return await db
    .selectFrom('processor_event_refs')
    .innerJoin('pending_payments', (join) =>
      join
        .onRef('pending_payments.connection_id', '=', 'processor_event_refs.connection_id')
        .onRef('pending_payments.event_id', '=', 'processor_event_refs.event_id'),
    )
    .select('pending_payments.payment')
    .where('processor_event_refs.workspace_id', '=', workspaceId)
    .where('processor_event_refs.ref', 'in', refs)
    .orderBy('pending_payments.due_at')
    .execute();
}

/** Whether a payment of the program is still waiting. The stored decision about its event names the program. */
export async function hasPendingPayment(
  db: Kysely<Schema>,
  { programId, workspaceId }: { readonly programId: number; readonly workspaceId: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('pending_payments')
    .innerJoin('processor_events', (join) =>
      join
        .onRef('processor_events.connection_id', '=', 'pending_payments.connection_id')
        .onRef('processor_events.event_id', '=', 'pending_payments.event_id'),
    )
    .select('pending_payments.event_id')
    .where('pending_payments.workspace_id', '=', workspaceId)
    .where('processor_events.program_id', '=', programId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Finds a waiting payment and locks its row until the transaction ends. */
export async function lockPendingPayment(
  tx: Transaction,
  { connection_id, event_id }: Pick<PendingPayment, 'connection_id' | 'event_id'>,
): Promise<PendingPayment | null> {
  const row = await tx.db
    .selectFrom('pending_payments')
    .selectAll()
    .where('connection_id', '=', connection_id)
    .where('event_id', '=', event_id)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

export async function postponePayment(
  tx: Transaction,
  { connection_id, event_id }: PendingPayment,
  dueAt: number,
): Promise<void> {
  await tx.db
    .updateTable('pending_payments')
    .set({ due_at: dueAt })
    .where('connection_id', '=', connection_id)
    .where('event_id', '=', event_id)
    .execute();
}

export async function deletePendingPayment(
  tx: Transaction,
  { connection_id, event_id }: PendingPayment,
): Promise<void> {
  await tx.db
    .deleteFrom('pending_payments')
    .where('connection_id', '=', connection_id)
    .where('event_id', '=', event_id)
    .execute();
}
