import type { Transaction } from '../database/engine/engine.ts';

/**
 * Ends the review of a customer's commissions. The commissions then need no approval and are released when their
 * hold ends.
 * @returns the sales of these commissions
 */
export async function endReviews(
  tx: Transaction,
  { program_id: programId, id: customerId }: { readonly program_id: number; readonly id: number },
): Promise<number[]> {
  const rows = await tx.db
    .updateTable('commissions')
    .set({ needs_approval: 0 })
    .where('program_id', '=', programId)
    .where('customer_id', '=', customerId)
    .where('needs_approval', '=', 1)
    .where('approved_at', 'is', null)
    .returning('sale_id')
    .execute();
  return rows.map((row) => row.sale_id);
}
