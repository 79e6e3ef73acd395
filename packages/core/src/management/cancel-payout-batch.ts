import { isFileChannel } from '../domain/payout-channel.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import {
  findBatchItem,
  findPayoutBatch,
  isBatchCancelled,
  listBatchItems,
  lockPayoutBatch,
  type PayoutBatchRow,
  type PayoutBatchView,
  updatePayoutBatch,
} from '../storage/money/payout-batches.ts';
import {
  findTransfer,
  listBatchTransfers,
  type PayoutTransferRow,
  stopQueuedTransfers,
} from '../storage/money/payout-transfers.ts';
import { lockCommissionsOfPayout, lockPayout } from '../storage/money/payouts.ts';
import { findProgramOrDeleted, type ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';
import { releasePayout } from './payout-results.ts';
import { writeEach } from './write-each.ts';

/**
 * Releases the unsent payouts of a batch, so that another batch can send them. The payouts of a file are unsent
 * until the file is downloaded. A payout that a provider sends is unsent until the provider is called.
 *
 * The first transaction marks the batch as cancelled and stops its queued transfers, so that the batch can no longer
 * send these payouts. Later transactions release the payouts. If the process crashes before all of them are released, a
 * repeated call releases the rest.
 */
export async function cancelPayoutBatch(
  runtime: Runtime,
  program: ProgramAccount,
  batchId: number,
): Promise<PayoutBatchView | Rejection> {
  const batch = await transactOrReject(runtime.engine, program.workspaceId, (tx) =>
    stopBatch(tx, runtime, program, batchId),
  );
  if (isRejection(batch)) return batch;
  const payoutIds = await listStoppedPayouts(runtime, batch);
  await writeEach(runtime, program, payoutIds, (tx, payoutId) =>
    releaseUnsent(tx, runtime, program, { batchId, payoutId }),
  );
  const cancelled = await findPayoutBatch(runtime.engine.read, program.id, batchId);
  return cancelled ?? new Rejection('not_found');
}

/**
 * Releases the payout of a queued transfer if its batch was cancelled. A batch can be cancelled while the provider is
 * called. If the call does not send the payout, the transfer is queued again, although its batch is cancelled.
 * @returns whether the batch was cancelled
 */
export async function releaseIfCancelled(runtime: Runtime, transfer: PayoutTransferRow): Promise<boolean> {
  const { workspace_id, program_id, batch_id: batchId, payout_id: payoutId } = transfer;
  const { engine } = runtime;
  if (!(await isBatchCancelled(engine.read, program_id, batchId))) return false;
  const program = await findProgramOrDeleted(engine.read, program_id);
  if (!program) throw new Error(`Program ${program_id} of payout ${payoutId} does not exist`);
  await engine.write(workspace_id, (tx) => releaseUnsent(tx, runtime, program, { batchId, payoutId }));
  return true;
}

/** Prevents the unsent payouts of the batch from being sent later. */
async function stopBatch(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  batchId: number,
): Promise<PayoutBatchRow | Rejection> {
  // Lock the transfers before the batch, because a transaction that stores a result locks both in this order.
  const stopped = await stopQueuedTransfers(tx, program.id, batchId);
  const batch = await lockPayoutBatch(tx, program.id, batchId);
  if (!batch) return new Rejection('not_found');
  if (batch.cancelled_at !== null) return batch;
  const fault = whyNotCancellable(batch, stopped);
  if (fault !== null) return new Rejection('payout_batch_state', `Batch ${batchId} ${fault}`);
  const change = { cancelled_at: runtime.now() };
  await updatePayoutBatch(tx, batch, change);
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: 'payout_batch.cancel',
    subjectId: batchId,
    before: null,
    after: { channel: batch.channel, currency: batch.currency },
  });
  return { ...batch, ...change };
}

function whyNotCancellable(batch: PayoutBatchRow, stoppedTransfers: number): string | null {
  if (batch.closed_at !== null)
    return 'cannot be cancelled, because the results of all its payouts are known.';
  if (!isFileChannel(batch.channel)) {
    return stoppedTransfers > 0
      ? null
      : 'cannot be cancelled, because all its payouts were sent. Wait until their results are known, and import the results of unclear payouts.';
  }
  return batch.downloaded_at === null
    ? null
    : 'cannot be cancelled, because its file was downloaded, so its payouts may have been paid. If no payout was paid, import the payouts with the status failed.';
}

async function listStoppedPayouts(
  { engine: { read } }: Runtime,
  { program_id: programId, id, channel }: PayoutBatchRow,
): Promise<number[]> {
  const batchItems = await listBatchItems(read, programId, id);
  const open = batchItems.filter(({ status }) => status === 'sent').map(({ payout_id }) => payout_id);
  if (isFileChannel(channel)) return open;
  const transfers = await listBatchTransfers(read, programId, id);
  const stopped = new Set(transfers.filter(isStopped).map(({ payout_id }) => payout_id));
  return open.filter((payoutId) => stopped.has(payoutId));
}

function isStopped(transfer: { readonly state: string; readonly run_at: number | null }): boolean {
  return transfer.state === 'queued' && transfer.run_at === null;
}

async function releaseUnsent(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  { batchId, payoutId }: { readonly batchId: number; readonly payoutId: number },
): Promise<void> {
  await lockCommissionsOfPayout(tx, program.id, payoutId);
  const payout = await lockPayout(tx, program.id, payoutId);
  const batchItem = payout && (await findBatchItem(tx.db, program.id, batchId, payoutId));
  // A concurrent call may have released the payout, and another batch may have sent it since.
  if (!payout || batchItem?.status !== 'sent') return;
  const transfer = await findTransfer(tx.db, program.id, batchId, payoutId);
  // Stopping the transfer locks it, so that no process can lease it and send the payout.
  if (transfer && (await stopQueuedTransfers(tx, program.id, batchId, payoutId)) === 0) return;
  await releasePayout(tx, runtime, program, payout, batchItem, {
    status: 'cancelled',
    reference: null,
    reason: null,
  });
}
