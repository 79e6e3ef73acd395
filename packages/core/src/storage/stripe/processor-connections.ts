import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

export type ProcessorConnectionRow = Selectable<Schema['processor_connections']>;

export async function insertConnection(
  tx: Transaction,
  connection: Insertable<Schema['processor_connections']>,
): Promise<ProcessorConnectionRow> {
  return await tx.db
    .insertInto('processor_connections')
    .values(connection)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds a connection of any workspace. The caller must check access to that workspace. */
export async function findConnection(db: Kysely<Schema>, id: number): Promise<ProcessorConnectionRow | null> {
  const row = await db
    .selectFrom('processor_connections')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Finds a connection and locks its row until the transaction ends. */
export async function lockConnection(
  tx: Transaction,
  workspaceId: number,
  id: number,
): Promise<ProcessorConnectionRow | null> {
  const row = await tx.db
    .selectFrom('processor_connections')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Prevents the connection from being disconnected until the transaction ends.
 * @returns false when it is already disconnected
 */
export async function lockConnectionShared(
  tx: Transaction,
  workspaceId: number,
  id: number,
): Promise<boolean> {
  const row = await tx.db
    .selectFrom('processor_connections')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('disconnected_at', 'is', null)
    .$if(tx.dialect === 'postgres', (query) => query.forKeyShare())
    .executeTakeFirst();
  return row !== undefined;
}

/** A connection that receives webhooks. */
export interface WebhookConnection {
  readonly id: number;
  readonly workspaceId: number;
  /** When the last signed webhook arrived, in epoch milliseconds. Null if none has arrived. */
  readonly lastReceivedAt: number | null;
}

/** Lists the connections that have not been disconnected, for all workspaces. */
export async function listWebhookConnections(db: Kysely<Schema>): Promise<WebhookConnection[]> {
  return await db
    .selectFrom('processor_connections as connection')
    .select((eb) => [
      'connection.id',
      'connection.workspace_id as workspaceId',
      eb
        .selectFrom('processor_events as event')
        .select((inner) => inner.fn.max('event.received_at').as('at'))
        .whereRef('event.connection_id', '=', 'connection.id')
        .as('lastReceivedAt'),
    ])
    .where('connection.disconnected_at', 'is', null)
    .orderBy('connection.id')
    .execute();
}

/** Lists a page of connections, newest first. Disconnected connections are included. */
export async function listConnections(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  range: { readonly offset: number; readonly limit: number },
): Promise<{ connections: ProcessorConnectionRow[]; total: number }> {
  if (workspaceIds.length === 0) return { connections: [], total: 0 };
  const all = db.selectFrom('processor_connections').where('workspace_id', 'in', workspaceIds);
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const connections = await all
    .selectAll()
    .orderBy('id', 'desc')
    .limit(range.limit)
    .offset(range.offset)
    .execute();
  return { connections, total };
}

/**
 * Finds the newest connection of the workspace that has received a verified webhook. Disconnected connections
 * are ignored.
 */
export async function findConnectedProcessor(
  db: Kysely<Schema>,
  workspaceId: number,
): Promise<ProcessorConnectionRow | null> {
  const row = await db
    .selectFrom('processor_connections')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('connected_at', 'is not', null)
    .where('disconnected_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** @returns the changed connection */
export async function updateConnection(
  tx: Transaction,
  connection: Pick<ProcessorConnectionRow, 'workspace_id' | 'id'>,
  change: Partial<Omit<ProcessorConnectionRow, 'id' | 'workspace_id' | 'created_at'>>,
): Promise<ProcessorConnectionRow> {
  return await tx.db
    .updateTable('processor_connections')
    .set(change)
    .where('workspace_id', '=', connection.workspace_id)
    .where('id', '=', connection.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Records the time of the first verified webhook. Later calls have no effect. */
export async function markConnected(
  tx: Transaction,
  connection: Pick<ProcessorConnectionRow, 'workspace_id' | 'id'>,
  at: number,
): Promise<void> {
  await tx.db
    .updateTable('processor_connections')
    .set({ connected_at: at })
    .where('workspace_id', '=', connection.workspace_id)
    .where('id', '=', connection.id)
    .where('connected_at', 'is', null)
    .execute();
}
