import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';

export type ProcessorDispute = Selectable<Schema['processor_disputes']>;

export type DisputeKey = Pick<ProcessorDispute, 'workspace_id' | 'dispute'>;

/** Finds a dispute and locks its row until the transaction ends. */
export async function lockDispute(
  tx: Transaction,
  { workspace_id, dispute }: DisputeKey,
): Promise<ProcessorDispute | null> {
  const row = await tx.db
    .selectFrom('processor_disputes')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where('dispute', '=', dispute)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** Stores a dispute. @returns null when another process has already stored it */
export async function insertDispute(
  tx: Transaction,
  dispute: Insertable<Schema['processor_disputes']>,
): Promise<ProcessorDispute | null> {
  const row = await tx.db
    .insertInto('processor_disputes')
    .values(dispute)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** @returns the changed dispute */
export async function updateDispute(
  tx: Transaction,
  { workspace_id, dispute }: DisputeKey,
  change: Partial<Omit<ProcessorDispute, keyof DisputeKey>>,
): Promise<ProcessorDispute> {
  return await tx.db
    .updateTable('processor_disputes')
    .set(change)
    .where('workspace_id', '=', workspace_id)
    .where('dispute', '=', dispute)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Finds the parked disputes of the charges and locks their rows until the transaction ends. A dispute is parked while
 * the sale of its charge is unknown.
 */
export async function lockParkedDisputes(
  tx: Transaction,
  workspaceId: number,
  charges: readonly string[],
): Promise<ProcessorDispute[]> {
  if (charges.length === 0) return [];
  return await tx.db
    .selectFrom('processor_disputes')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('charge', 'in', charges)
    .where('sale_id', 'is', null)
    .orderBy('dispute')
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .execute();
}

/**
 * Parks the disputes of a merged duplicate sale again, so that they can be applied to the remaining sale.
 * @returns the ids of their charges
 */
export async function reparkDisputes(tx: Transaction, { programId, saleId }: SaleKey): Promise<string[]> {
  const rows = await tx.db
    .updateTable('processor_disputes')
    .set({ sale_id: null, applied_state: null })
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .returning('charge')
    .execute();
  return rows.map((row) => row.charge);
}

export async function hasOpenDispute(db: Kysely<Schema>, { programId, saleId }: SaleKey): Promise<boolean> {
  const row = await db
    .selectFrom('processor_disputes')
    .select('dispute')
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Lists the disputes of a sale. */
export async function listDisputesOfSale(
  db: Kysely<Schema>,
  { programId, saleId }: SaleKey,
): Promise<Pick<ProcessorDispute, 'dispute' | 'state' | 'amount_cents' | 'currency'>[]> {
  return await db
    .selectFrom('processor_disputes')
    .select(['dispute', 'state', 'amount_cents', 'currency'])
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .execute();
}

/**
 * Lists parked disputes that are due for a check. The check must run in the write lane of `workspace_id`; see
 * `Engine.write`.
 */
export async function findDueDisputes(db: Kysely<Schema>, now: number, limit: number): Promise<DisputeKey[]> {
  return await db
    .selectFrom('processor_disputes')
    .select(['workspace_id', 'dispute'])
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit)
    .execute();
}

/** Whether there is a parked dispute whose metadata contains the program's id. */
export async function hasParkedDispute(db: Kysely<Schema>, programId: number): Promise<boolean> {
  const row = await db
    .selectFrom('processor_disputes')
    .select('dispute')
    .where('program_id', '=', programId)
    .where('sale_id', 'is', null)
    .where('state', 'in', ['open', 'lost'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
