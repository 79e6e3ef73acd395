import { PAYOUT_PROVIDERS } from '@affkit/protocol';
import { notifyPayoutProblem } from '../management/payout-problems.ts';
import type { Runtime } from '../runtime.ts';
import {
  claimTransfer,
  findOverdueTransfers,
  type PayoutTransferRow,
  updateLeasedTransfer,
} from '../storage/money/payout-transfers.ts';
import { settleAll } from './failures.ts';
import { RESULT_LIMIT_MS } from './payout-limits.ts';

const PAYOUTS_PER_TURN = 16;

/**
 * Marks sent payouts as unclear if their provider is no longer configured, so that a user can enter the
 * results. A payout becomes unclear only after `RESULT_LIMIT_MS`, because the provider may be missing only for a
 * while, or only in this process.
 * @returns whether more payouts may be due
 */
export async function closeOrphanedPayouts(runtime: Runtime): Promise<boolean> {
  const now = runtime.now();
  const missing = PAYOUT_PROVIDERS.filter((name) => !runtime.payoutProviders.has(name));
  const limits = { now, sentBefore: now - RESULT_LIMIT_MS, limit: PAYOUTS_PER_TURN };
  const overdue = await findOverdueTransfers(runtime.engine.read, missing, limits);
  await settleAll(overdue.map((row) => makeUnclear(runtime, row, now)));
  return overdue.length > 0;
}

async function makeUnclear(runtime: Runtime, row: PayoutTransferRow, now: number): Promise<void> {
  const { provider, program_id, payout_id } = row;
  const error = `${provider} is no longer configured, so Affkit cannot get the result. Look up the payout at ${provider}, and import the result.`;
  const isStored = await runtime.engine.write(row.workspace_id, async (tx) => {
    const leased = await claimTransfer(tx, row, { now, leasedUntil: now });
    if (leased === null) return false;
    await updateLeasedTransfer(tx, leased, { state: 'unclear', run_at: null, last_error: error });
    await notifyPayoutProblem(tx, runtime, leased, 'unclear', error);
    return true;
  });
  if (isStored) {
    const fields = { provider, program_id, payout_id, reason: error };
    runtime.log.error(fields, 'payout has an unknown outcome; import its result');
  }
}
