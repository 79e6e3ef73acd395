import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { isTransient } from '../storage/database/engine/transient.ts';
import { findProgram } from '../storage/programs/programs.ts';
import {
  lockParkedDisputes,
  type ProcessorDispute,
  updateDispute,
} from '../storage/stripe/processor-disputes.ts';
import { findSale, type SaleKey } from '../storage/tracking/sales.ts';
import { settleDispute } from './settle-dispute.ts';

/** How long after a failure a parked dispute is retried. */
const RETRY_MS = 60_000;

/**
 * Applies the parked disputes of the charges among the payment ids. One that fails does not roll back the
 * caller's work; a background job retries it.
 */
export async function applyParkedDisputes(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  sale: SaleKey,
  refs: readonly string[],
): Promise<void> {
  for (const dispute of await lockParkedDisputes(tx, workspaceId, refs)) {
    try {
      await tx.savepoint(() => applyParked(tx, runtime, sale, dispute));
    } catch (error) {
      if (isTransient(error) || error instanceof Unavailable) throw error;
      const fields = { err: error, dispute: dispute.dispute, sale_id: sale.saleId };
      runtime.log.error(fields, 'parked dispute could not be applied; a background job will retry');
      await updateDispute(tx, dispute, { check_at: runtime.now() + RETRY_MS });
    }
  }
}

async function applyParked(
  tx: Transaction,
  runtime: Runtime,
  { programId, saleId }: SaleKey,
  dispute: ProcessorDispute,
): Promise<void> {
  const program = await findProgram(tx.db, programId);
  const sale = program && (await findSale(tx.db, programId, saleId));
  if (program && sale) await settleDispute(tx, runtime, program, sale, dispute);
  // The program is deleted, so nobody is owed a commission. The dispute is not checked again.
  else await updateDispute(tx, dispute, { check_at: null });
}
