import type { PayoutProviderName } from '@affkit/protocol';
import { Rejection, Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findTransfersOf, makeTransferDue } from '../storage/money/payout-transfers.ts';

/** Calls to the provider must end before the provider's webhook request times out. */
const VERIFY_TIMEOUT_MS = 20_000;

/**
 * Receives a webhook of a provider. Makes the transfers in the webhook due, so that the jobs read the state of these
 * transfers from the provider.
 * @returns how many transfers have become due; transfers that this service did not send do not count
 * @throws Unavailable when the signature cannot be verified now, so that the provider delivers the webhook again
 */
export async function receivePayoutWebhook(
  runtime: Runtime,
  name: PayoutProviderName,
  request: { readonly header: (name: string) => string | undefined; readonly bytes: Uint8Array },
): Promise<number | Rejection> {
  const provider = runtime.payoutProviders.get(name);
  if (!provider) return new Rejection('payout_provider_missing');
  const now = runtime.now();
  const signal = AbortSignal.timeout(VERIFY_TIMEOUT_MS);
  const changed = await provider.readWebhook({ ...request, now, signal }).catch((error: unknown) => {
    throw new Unavailable(`The webhook of ${name} could not be verified`, { cause: error });
  });
  if (changed === null) return new Rejection('webhook_signature_invalid');
  let known = 0;
  for (const transfer of changed) {
    for (const row of await findTransfersOf(runtime.engine.read, name, transfer)) {
      const isDue = await runtime.engine.write(row.workspace_id, (tx) =>
        makeTransferDue(tx, row, transfer.id, now),
      );
      if (isDue) known += 1;
    }
  }
  return known;
}
