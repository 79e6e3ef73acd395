import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';

export type KeptRefundRow = Selectable<Schema['kept_refunds']>;

/**
 * Stores a refund of a sale that has no active commission. Each refund id is stored once. A refund without an id is
 * stored only if no refund of the sale is stored yet.
 */
export async function keepRefund(tx: Transaction, refund: Insertable<Schema['kept_refunds']>): Promise<void> {
  const key = { programId: refund.program_id, saleId: refund.sale_id };
  if (refund.refund_id === null && (await listKeptRefunds(tx.db, key)).length > 0) return;
  await tx.db
    .insertInto('kept_refunds')
    .values(refund)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists the kept refunds of a sale, in the order in which they were reported. */
async function listKeptRefunds(db: Kysely<Schema>, { programId, saleId }: SaleKey): Promise<KeptRefundRow[]> {
  return await db
    .selectFrom('kept_refunds')
    .selectAll()
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .orderBy('id')
    .execute();
}

/** Deletes and returns the kept refunds of a sale, in the order in which they were reported. */
export async function takeKeptRefunds(tx: Transaction, key: SaleKey): Promise<KeptRefundRow[]> {
  const kept = await listKeptRefunds(tx.db, key);
  if (kept.length === 0) return kept;
  await tx.db
    .deleteFrom('kept_refunds')
    .where('program_id', '=', key.programId)
    .where('sale_id', '=', key.saleId)
    .execute();
  return kept;
}
