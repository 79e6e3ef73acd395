import { Unavailable } from '../rejection.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findAllPaymentIds, findSaleByPaymentIds } from '../storage/stripe/processor-refs.ts';
import { listUnfinishedImports } from '../storage/transfer/imports.ts';

/**
 * Requires that the sale of a payment does not belong to a program that is still being imported. Such a program is
 * marked as deleted, so an event of the payment would be ignored. An event could also change imported rows, so that the
 * import could not be verified.
 * @throws Unavailable, so that the event is delivered again later
 */
export async function requireFinishedImport(
  tx: Transaction,
  workspaceId: number,
  refs: readonly string[],
  now: number,
): Promise<void> {
  const programIds = await listUnfinishedImports(tx.db, workspaceId);
  if (programIds.length === 0) return;
  const connected = await findAllPaymentIds(tx, workspaceId, refs, now);
  const sale = await findSaleByPaymentIds(tx.db, workspaceId, connected.refs);
  if (!sale || !programIds.includes(sale.programId)) return;
  throw new Unavailable(`The import of program ${sale.programId}, which has the payment, is not finished`);
}
