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
import { addReferences } from '../storage/stripe/processor-refs.ts';
import { findSale, type SaleKey } from '../storage/tracking/sales.ts';
import { settleCharge } from './settle-charge.ts';

/** When a refund that could not be applied is tried again. */
const RETRY_MS = 60_000;

/** Gives a recorded sale further ids of its payment, and applies the refunds that waited for one of them. */
export async function attachReferences(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  sale: SaleKey,
  refs: readonly string[],
): Promise<void> {
  await addReferences(tx, workspaceId, sale, refs);
  await settleParkedRefunds(tx, runtime, workspaceId, sale, refs);
}

/**
 * Applies the refunds that waited for a sale with one of these ids. One that can't be applied, as where the commission
 * is still owed, never takes the sale with it: the jobs try it again.
 */
export async function settleParkedRefunds(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  taken: SaleKey,
  refs: readonly string[],
): Promise<void> {
  for (const charge of await lockParkedCharges(tx, workspaceId, refs)) {
    try {
      await tx.savepoint(() => settleParked(tx, taken, charge, runtime.now()));
    } catch (error) {
      if (isTransient(error) || error instanceof Unavailable) throw error;
      const fields = { err: error, charge: charge.charge, sale_id: taken.saleId };
      runtime.log.error(fields, 'a parked refund could not be applied; it is tried again');
      await updateCharge(tx, charge, { check_at: runtime.now() + RETRY_MS });
    }
  }
}

async function settleParked(
  tx: Transaction,
  { programId, saleId }: SaleKey,
  charge: ProcessorCharge,
  now: number,
): Promise<void> {
  const program = await findProgram(tx.db, programId);
  const sale = program && (await findSale(tx.db, programId, saleId));
  if (program && sale) await settleCharge(tx, program, sale, charge, now);
  // Of a deleted program nobody is owed anything.
  else await updateCharge(tx, charge, { check_at: null });
}
