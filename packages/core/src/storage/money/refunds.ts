import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';

export type RefundRow = Selectable<Schema['refunds']>;

/** Lists the changes to a sale's refunded total, in the order in which they were made. */
export async function listRefundsOfSale(
  db: Kysely<Schema>,
  { programId, saleId }: SaleKey,
): Promise<RefundRow[]> {
  return await db
    .selectFrom('refunds')
    .selectAll()
    .where('program_id', '=', programId)
    .where('sale_id', '=', saleId)
    .orderBy('id')
    .execute();
}

/** Stores a change to a sale's refunded total. @returns the id of the change */
export async function insertRefund(tx: Transaction, refund: Insertable<Schema['refunds']>): Promise<number> {
  const { id } = await tx.db.insertInto('refunds').values(refund).returning('id').executeTakeFirstOrThrow();
  return id;
}
