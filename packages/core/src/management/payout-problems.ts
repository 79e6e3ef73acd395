import { isoDate, MINUTE_MS, utcDay } from '../domain/calendar.ts';
import type { PayoutProblem } from '../emails/email-data.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { PayoutTransferRow } from '../storage/money/payout-transfers.ts';
import { notifyAdvertiser } from './notify-advertiser.ts';

const KINDS = {
  failed: 'payouts_failed',
  unclear: 'payouts_unclear',
  delayed: 'payouts_delayed',
} as const;

/** The email counts the payouts, so it waits until the other payouts of the batch have probably been sent. */
const EMAIL_DELAY_MS = 5 * MINUTE_MS;

/**
 * Notifies the advertiser that a provider could not pay a payout, in the transaction that stores this. A batch has at
 * most one such notification per kind of problem and day.
 */
export async function notifyPayoutProblem(
  tx: Transaction,
  runtime: Runtime,
  transfer: Pick<PayoutTransferRow, 'workspace_id' | 'program_id' | 'batch_id' | 'provider'>,
  problem: PayoutProblem,
  reason: string | null,
): Promise<void> {
  const { workspace_id: workspaceId, program_id: programId, batch_id: batchId, provider } = transfer;
  const at = runtime.now();
  await notifyAdvertiser(tx, runtime, {
    workspaceId,
    programId,
    kind: KINDS[problem],
    dedupeKey: `${KINDS[problem]}:${programId}:${batchId}:${isoDate(utcDay(at))}`,
    payload: { batchId, provider, reason },
    email: { kind: 'payout_problem', data: { batchId, problem, reason }, runAt: at + EMAIL_DELAY_MS },
  });
}
