import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';

export type ProcessorCharge = Selectable<Schema['processor_charges']>;

/** The charge, locked until the work ends. */
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

/** @returns null when another process added the charge meanwhile */
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

/** @returns the charge after it */
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

/** Of the charges, those whose refunds wait for a sale, locked until the work ends. */
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

/** Has the charges of a sale that took nothing from it wait for the sale that takes its place. @returns them */
export async function parkAgain(tx: Transaction, { programId, saleId }: SaleKey): Promise<string[]> {
  const rows = await tx.db
    .updateTable('processor_charges')
    .set({ sale_id: null, settled_cents: 0, matched_cents: 0 })
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .where('deducted_cents', '=', 0)
    .returning('charge')
    .execute();
  return rows.map((row) => row.charge);
}

/**
 * What was refunded of a sale otherwise than by the processor's charges, in the sale's currency, and is told again by
 * no other charge than this one.
 */
export async function sumUnmatchedRefunds(
  db: Kysely<Schema>,
  { programId, saleId }: SaleKey,
  saleAmountCents: number,
  charge: string,
): Promise<number> {
  const refunds = await db
    .selectFrom('refunds')
    .select('refund_amount_cents')
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .execute();
  const charges = await db
    .selectFrom('processor_charges')
    .select(['charge', 'deducted_cents', 'matched_cents'])
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .execute();
  const taken = refunds.reduce((sum, row) => sum + (row.refund_amount_cents ?? saleAmountCents), 0);
  return charges.reduce((rest, row) => {
    return rest - row.deducted_cents - (row.charge === charge ? 0 : row.matched_cents);
  }, taken);
}

/** Parked refunds that are to be looked at, with the workspace whose lane they belong to. */
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

/** Does a parked refund name the program? */
export async function hasParkedRefund(db: Kysely<Schema>, programId: number): Promise<boolean> {
  const row = await db
    .selectFrom('processor_charges')
    .select('charge')
    .where('program_id', '=', programId)
    .where('sale_id', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
