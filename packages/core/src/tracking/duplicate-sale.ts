import { Rejection } from '../rejection.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockCommissionOfSale } from '../storage/money/commissions.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { findSale, findSaleByTransaction, type SaleKey } from '../storage/tracking/sales.ts';
import { isSamePayment, type ReportedSale } from './sale.ts';

/**
 * Builds the rejection of a payment that is already recorded. The ids of the recorded sale are included only
 * if it belongs to the same program. `identical` says whether the request describes the same payment as the
 * program's sale with this transaction id. That sale may have been merged into `recorded`. If the program has
 * no sale with this transaction id, the request is compared with `recorded`.
 */
export async function describeDuplicate(
  tx: Transaction,
  { program, sale: reported }: { readonly program: ProgramAccount; readonly sale: ReportedSale },
  recorded: SaleKey,
): Promise<Rejection> {
  if (recorded.programId !== program.id) return new Rejection('transaction_id_taken');
  const sale =
    (await findSaleByTransaction(tx.db, program.id, reported.transaction_id, 0)) ??
    (await findSale(tx.db, program.id, recorded.saleId));
  const commission = await lockCommissionOfSale(tx, program.id, recorded.saleId);
  return new Rejection('duplicate_transaction', undefined, {
    details: {
      sale_id: recorded.saleId,
      commission_id: commission?.id ?? null,
      identical: sale !== null && isSamePayment(sale, reported),
    },
  });
}
