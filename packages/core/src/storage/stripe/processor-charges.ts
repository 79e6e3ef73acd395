import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';
import { loadRefundedCents } from './processor-refunds.ts';

export type ProcessorCharge = Selectable<Schema['processor_charges']>;

/** Finds a charge and locks its row until the transaction ends. */
export async function lockCharge(
  tx: Transaction,
  workspaceId: number,
  charge: string,
): Promise<ProcessorCharge | null> {
  const row = await tx.db
    .selectFrom('processor_charges')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('charge', '=', charge)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** Stores a charge. @returns null when another process has already stored it */
export async function insertCharge(
  tx: Transaction,
  charge: Insertable<Schema['processor_charges']>,
): Promise<ProcessorCharge | null> {
  const row = await tx.db
    .insertInto('processor_charges')
    .values(charge)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** @returns the changed charge */
export async function updateCharge(
  tx: Transaction,
  charge: Pick<ProcessorCharge, 'workspace_id' | 'charge'>,
  change: Partial<Omit<ProcessorCharge, 'workspace_id' | 'charge'>>,
): Promise<ProcessorCharge> {
  return await tx.db
    .updateTable('processor_charges')
    .set(change)
    .where('workspace_id', '=', charge.workspace_id)
    .where('charge', '=', charge.charge)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Finds which of the given charges are parked, and locks their rows until the transaction ends. A charge is parked
 * while its sale is unknown, so its refunds cannot be applied yet.
 */
export async function lockParkedCharges(
  tx: Transaction,
  workspaceId: number,
  charges: readonly string[],
): Promise<ProcessorCharge[]> {
  if (charges.length === 0) return [];
  return await tx.db
    .selectFrom('processor_charges')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('charge', 'in', charges)
    .where('sale_id', 'is', null)
    .orderBy('charge')
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .execute();
}

/**
 * Parks the charges of a merged duplicate sale again, so that they can be applied to the remaining sale.
 * @returns the ids of the parked charges
 */
export async function reparkCharges(tx: Transaction, { programId, saleId }: SaleKey): Promise<string[]> {
  const rows = await tx.db
    .updateTable('processor_charges')
    .set({ sale_id: null })
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .returning('charge')
    .execute();
  return rows.map((row) => row.charge);
}

export async function listChargesOfSale(
  db: Kysely<Schema>,
  { programId, saleId }: SaleKey,
): Promise<ProcessorCharge[]> {
  return await db
    .selectFrom('processor_charges')
    .selectAll()
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .orderBy('charge')
    .execute();
}

/**
 * Lists charges with parked refunds that are due for a check. The check must run in the write lane of `workspace_id`;
 * see `Engine.write`.
 */
export async function findDueCharges(
  db: Kysely<Schema>,
  now: number,
  limit: number,
): Promise<Pick<ProcessorCharge, 'workspace_id' | 'charge'>[]> {
  return await db
    .selectFrom('processor_charges')
    .select(['workspace_id', 'charge'])
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit)
    .execute();
}

/** Whether there is a parked refund whose metadata contains the program's id. Failed refunds do not count. */
export async function hasParkedRefund(db: Kysely<Schema>, programId: number): Promise<boolean> {
  const parked = await db
    .selectFrom('processor_charges')
    .select(['workspace_id', 'charge', 'refunded_cents'])
    .where('program_id', '=', programId)
    .where('sale_id', 'is', null)
    .execute();
  for (const charge of parked) {
    if ((await loadRefundedCents(db, charge)) > 0) return true;
  }
  return false;
}
