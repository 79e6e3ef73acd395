import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** A commission with the name of its partner, and the transaction id, amount, and currency of its sale. */
export type CommissionView = Selectable<Schema['commissions']> & {
  readonly transaction_id: string;
  readonly sale_amount_cents: number;
  readonly sale_currency: string;
  readonly partner_name: string;
};

export async function findCommission(
  db: Kysely<Schema>,
  programId: number,
  commissionId: number,
): Promise<CommissionView | null> {
  const selected = db
    .selectFrom('commissions')
    .where('commissions.program_id', '=', programId)
    .where('commissions.id', '=', commissionId);
  return (await joinSaleAndPartner(selected).executeTakeFirst()) ?? null;
}

/** Finds a commission and locks its row until the transaction ends. */
export async function lockCommission(
  tx: Transaction,
  programId: number,
  commissionId: number,
): Promise<CommissionView | null> {
  // Lock the row in a separate statement. The next statement then reads everything that was committed while this one
  // waited for the lock.
  if (tx.dialect === 'postgres') {
    await tx.db
      .selectFrom('commissions')
      .select('id')
      .where('program_id', '=', programId)
      .where('id', '=', commissionId)
      .forUpdate()
      .execute();
  }
  return await findCommission(tx.db, programId, commissionId);
}

/** Adds the columns of `CommissionView` to a query of commissions. */
export function joinSaleAndPartner(commissions: SelectQueryBuilder<Schema, 'commissions', object>) {
  return commissions
    .innerJoin('sales', (join) =>
      join
        .onRef('sales.program_id', '=', 'commissions.program_id')
        .onRef('sales.id', '=', 'commissions.sale_id'),
    )
    .innerJoin('partners', 'partners.id', 'commissions.partner_id')
    .selectAll('commissions')
    .select([
      'sales.processor_event_id as transaction_id',
      'sales.amount_cents as sale_amount_cents',
      'sales.currency as sale_currency',
      'partners.name as partner_name',
    ]);
}
