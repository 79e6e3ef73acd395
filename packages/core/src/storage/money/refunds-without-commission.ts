import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';

export type RefundWithoutCommissionRow = Selectable<Schema['kept_refunds']>;

/**
 * Stores a refund of a sale that has no active commission. Each refund id is stored once. A refund without an id is
 * stored only if no refund of the sale is stored yet.
 */
export async function storeRefundWithoutCommission(
  tx: Transaction,
  refund: Insertable<Schema['kept_refunds']>,
): Promise<void> {
  const key = { programId: refund.program_id, saleId: refund.sale_id };
  if (refund.refund_id === null && (await listRefundsWithoutCommission(tx.db, key)).length > 0) return;
  await tx.db
    .insertInto('kept_refunds')
    .values(refund)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists the stored refunds of a sale, in the order in which they were reported. */
async function listRefundsWithoutCommission(
  db: Kysely<Schema>,
  { programId, saleId }: SaleKey,
): Promise<RefundWithoutCommissionRow[]> {
  return await db
    .selectFrom('kept_refunds')
    .selectAll()
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .orderBy('id')
    .execute();
}

/** Deletes and returns the stored refunds of a sale, in the order in which they were reported. */
export async function takeRefundsWithoutCommission(
  tx: Transaction,
  key: SaleKey,
): Promise<RefundWithoutCommissionRow[]> {
  const refunds = await listRefundsWithoutCommission(tx.db, key);
  if (refunds.length === 0) return refunds;
  await tx.db
    .deleteFrom('kept_refunds')
    .where('program_id', '=', key.programId)
    .where('sale_id', '=', key.saleId)
    .execute();
  return refunds;
}
