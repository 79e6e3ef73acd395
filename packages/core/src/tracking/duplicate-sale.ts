import { Rejection } from '../rejection.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findCommissionOfSale } from '../storage/money/commissions.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { findSale, findSaleByTransaction, type SaleKey } from '../storage/tracking/sales.ts';
import type { SaleInput } from './sale.ts';

/**
 * What a caller is told of a sale that is recorded already; its ids only when the sale is its own program's. A repeat is
 * identical to the sale of its transaction id, also where another one has come to stand for it.
 */
export async function describeDuplicate(
  tx: Transaction,
  {
    program,
    sale: { transaction_id },
    fingerprint,
  }: { readonly program: ProgramAccount; readonly sale: SaleInput; readonly fingerprint: string },
  taken: SaleKey,
): Promise<Rejection> {
  if (taken.programId !== program.id) return new Rejection('transaction_id_taken');
  const sale =
    (await findSaleByTransaction(tx.db, program.id, transaction_id, 0)) ??
    (await findSale(tx.db, program.id, taken.saleId));
  const commission = await findCommissionOfSale(tx, program.id, taken.saleId);
  return new Rejection('duplicate_transaction', undefined, {
    details: {
      sale_id: taken.saleId,
      commission_id: commission?.id ?? null,
      identical: sale?.fingerprint === fingerprint,
    },
  });
}
