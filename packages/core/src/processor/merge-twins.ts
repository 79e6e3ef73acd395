import { decideRejection } from '../domain/commission-status.ts';
import type { Runtime } from '../runtime.ts';
import { findCommissionOfSale } from '../storage/commissions.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { insertNotification } from '../storage/notifications.ts';
import { addTraceNote } from '../storage/outbox.ts';
import { listByReference, moveReferences, type TakenTransaction } from '../storage/processor-refs.ts';
import { rejectLocked } from '../storage/reject-commission.ts';
import { findSale } from '../storage/sales.ts';

/**
 * One payment that was told by ids which nothing tied together yet has become two sales. The one recorded first stands
 * for the payment from now on. The commission of another is rejected where that can still be, and the advertiser is
 * told in either case.
 */
export async function mergeTwins(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  refs: readonly string[],
): Promise<void> {
  const [first, ...twins] = await listByReference(tx.db, workspaceId, refs);
  if (!first) return;
  for (const twin of twins) await mergeInto(tx, runtime, workspaceId, first, twin);
}

async function mergeInto(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  first: TakenTransaction,
  twin: TakenTransaction,
): Promise<void> {
  const now = runtime.now();
  const commission = await findCommissionOfSale(tx, twin.programId, twin.saleId);
  const isRejected =
    commission !== null &&
    decideRejection({ status: commission.status, payoutId: commission.payout_id }) === 'move';
  if (commission && isRejected) await rejectLocked(tx, commission, now);
  await moveReferences(tx, workspaceId, twin, first);
  const [kept, doubled] = [
    await findSale(tx.db, first.programId, first.saleId),
    await findSale(tx.db, twin.programId, twin.saleId),
  ];
  await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: twin.programId,
    partner_id: null,
    kind: 'sale_recorded_twice',
    dedupe_key: `sale_recorded_twice:${twin.programId}:${twin.saleId}`,
    payload: JSON.stringify({
      transactionId: kept?.processor_event_id,
      twinTransactionId: doubled?.processor_event_id,
      twinCommissionId: commission?.id ?? null,
      isTwinRejected: isRejected,
    }),
    created_at: now,
  });
  await addTraceNote(tx, {
    programId: twin.programId,
    customerId: doubled?.customer_id ?? null,
    saleId: twin.saleId,
    reason: 'sale_recorded_twice',
    detail: kept?.processor_event_id ?? null,
    now,
  });
}
