import { openPayoutDetails } from '../access/sealed-payout-details.ts';
import { itemReference } from '../domain/payout-files/payout-file.ts';
import type { ProviderPayout } from '../payout-provider/provider.ts';
import type { Runtime } from '../runtime.ts';
import { findBatchItem, findPayoutBatch } from '../storage/money/payout-batches.ts';
import type { LeasedTransfer } from '../storage/money/payout-transfers.ts';

/** Loads the transfer's batch, and the batch item of its payout. */
export async function loadItem(runtime: Runtime, leased: LeasedTransfer) {
  const { program_id: programId, batch_id: batchId, payout_id: payoutId } = leased;
  const batch = await findPayoutBatch(runtime.engine.read, programId, batchId);
  const batchItem = await findBatchItem(runtime.engine.read, programId, batchId, payoutId);
  if (!batch || !batchItem) throw new Error(`Batch ${batchId} does not contain payout ${payoutId}`);
  return { batch, item: batchItem };
}

/** Loads the payout of a transfer for the provider. @returns null when the payout details cannot be decrypted */
export async function loadPayout(runtime: Runtime, leased: LeasedTransfer): Promise<ProviderPayout | null> {
  const { batch, item } = await loadItem(runtime, leased);
  const details = openPayoutDetails(runtime, { partner_id: item.partner_id, sealed: item.sealed_details });
  return (
    details && {
      reference: itemReference(batch.id, item.payout_id),
      amountCents: item.amount_cents,
      currency: batch.currency,
      programName: batch.program_name,
      details,
    }
  );
}
