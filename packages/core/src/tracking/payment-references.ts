import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { isTransient } from '../storage/database/engine/transient.ts';
import { findProgram } from '../storage/programs/programs.ts';
import {
  lockParkedCharges,
  type ProcessorCharge,
  updateCharge,
} from '../storage/stripe/processor-charges.ts';
import { addProcessorReferences } from '../storage/stripe/processor-refs.ts';
import { findSale, type SaleKey } from '../storage/tracking/sales.ts';
import { applyChargeRefunds } from './apply-charge-refunds.ts';
import { applyParkedDisputes } from './parked-disputes.ts';

/** How long after a failure a parked refund is retried. */
const RETRY_MS = 60_000;

/** Adds payment ids to a recorded sale, and applies the parked refunds that name one of them. */
export async function attachReferences(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  sale: SaleKey,
  refs: readonly string[],
): Promise<void> {
  await addProcessorReferences(tx, workspaceId, sale, refs);
  await applyParkedRefunds(tx, runtime, workspaceId, sale, refs);
}

/**
 * Applies the parked refunds and disputes that name one of the payment ids. A refund can fail, for example
 * when the commission of its sale cannot be stored. It then does not roll back the caller's work; a background
 * job retries it.
 */
export async function applyParkedRefunds(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  sale: SaleKey,
  refs: readonly string[],
): Promise<void> {
  for (const charge of await lockParkedCharges(tx, workspaceId, refs)) {
    try {
      await tx.savepoint(() => applyParked(tx, runtime, sale, charge));
    } catch (error) {
      if (isTransient(error) || error instanceof Unavailable) throw error;
      const fields = { err: error, charge: charge.charge, sale_id: sale.saleId };
      runtime.log.error(fields, 'parked refund could not be applied; a background job will retry');
      await updateCharge(tx, charge, { check_at: runtime.now() + RETRY_MS });
    }
  }
  await applyParkedDisputes(tx, runtime, workspaceId, sale, refs);
}

async function applyParked(
  tx: Transaction,
  runtime: Runtime,
  { programId, saleId }: SaleKey,
  charge: ProcessorCharge,
): Promise<void> {
  const program = await findProgram(tx.db, programId);
  const sale = program && (await findSale(tx.db, programId, saleId));
  if (program && sale) {
    const event = { refundId: null, reason: charge.reason, refundAt: charge.refunded_at };
    await applyChargeRefunds(tx, runtime, program, sale, charge, event);
  }
  // The program is deleted, so nobody is owed a commission. The refund is not checked again.
  else await updateCharge(tx, charge, { check_at: null });
}
