import { Rejection } from '../rejection.ts';
import { findCommissionOfSale } from '../storage/commissions.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import type { TakenTransaction } from '../storage/processor-refs.ts';
import type { ProgramAccount } from '../storage/programs.ts';
import { findSale } from '../storage/sales.ts';

/** What a caller is told of a sale that is recorded already; its ids only when the sale is its own program's. */
export async function describeDuplicate(
  tx: Transaction,
  program: ProgramAccount,
  taken: TakenTransaction,
  fingerprint: string,
): Promise<Rejection> {
  if (taken.programId !== program.id) return new Rejection('transaction_id_taken');
  const sale = await findSale(tx.db, program.id, taken.saleId);
  const commission = await findCommissionOfSale(tx, program.id, taken.saleId);
  return new Rejection('duplicate_transaction', undefined, {
    details: {
      sale_id: taken.saleId,
      commission_id: commission?.id ?? null,
      identical: sale?.fingerprint === fingerprint,
    },
  });
}
