import { DAY_MS } from '../domain/calendar.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findAllPaymentIds, findSaleByPaymentIds } from '../storage/stripe/processor-refs.ts';
import type { SaleKey } from '../storage/tracking/sales.ts';
import { listUnfinishedImports } from '../storage/transfer/imports.ts';

/** Stripe delivers an event again for up to three days. */
const MAX_WAIT_MS = 3 * DAY_MS;

/** The sale of a payment, if it belongs to a program whose import is not finished. */
export interface SaleOfImport extends SaleKey {
  /** Whether the import began so recently that events of the payment can be delivered again after it. */
  readonly isRecent: boolean;
}

/**
 * Finds the sale of a payment, if it belongs to a program whose import is not finished. The caller must not apply an
 * event of the payment to this sale. Until the import ends, the program is marked as deleted, so the event would have
 * no effect. If the event changed imported rows, the verification of the import would fail.
 */
export async function findImportOfPayment(
  tx: Transaction,
  workspaceId: number,
  refs: readonly string[],
  now: number,
): Promise<SaleOfImport | null> {
  const imports = await listUnfinishedImports(tx.db, workspaceId);
  if (imports.length === 0) return null;
  const connected = await findAllPaymentIds(tx, workspaceId, refs, now);
  const sale = await findSaleByPaymentIds(tx.db, workspaceId, connected.refs);
  const found = sale && imports.find(({ program_id }) => program_id === sale.programId);
  return found ? { ...sale, isRecent: now < found.started_at + MAX_WAIT_MS } : null;
}
