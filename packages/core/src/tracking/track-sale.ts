import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { recordSales } from './record-sales.ts';
import type { SaleInput, SaleOutcome } from './sale.ts';
import type { SaleRecorder } from './sale-recorder.ts';

/**
 * Records a payment once, with its commission, ledger entries, balances and totals in one transaction.
 * Of several equal requests at once one is recorded, and the others find it as a duplicate.
 */
export function trackSale(
  recorder: SaleRecorder,
  program: ProgramAccount,
  sale: SaleInput,
): Promise<SaleOutcome> {
  return recorder.record({ program, sale });
}

/**
 * Records a payment within a transaction, as `trackSale` does.
 * @throws TakenMeanwhile when another process takes one of its ids at the same time: the transaction has to be
 *   run again
 */
export async function recordSale(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  sale: SaleInput,
): Promise<SaleOutcome> {
  const [outcome] = await recordSales(tx, runtime, [{ program, sale }]);
  if (!outcome) throw new Error('The sale has no outcome');
  return outcome;
}
