import { DAY_MS, HOUR_MS } from '../domain/calendar.ts';
import type { PayoutProblem } from '../domain/payout-problem.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { PayoutTransferRow } from '../storage/money/payout-transfers.ts';
import { notifyAdvertiser } from './notify-advertiser.ts';

const KINDS = {
  failed: 'payouts_failed',
  unclear: 'payouts_unclear',
  contradicted: 'payouts_contradicted',
  delayed: 'payouts_delayed',
} as const;

/**
 * Notifies the advertiser about a problem with a payout that a provider sends, in the transaction that stores the
 * problem. A batch has at most one notification per kind of problem and hour. The email is sent at the end of that
 * hour, so that it can count all payouts with the problem. Delays are different: they are reported at most once a
 * day, because each failed attempt delays a payout again. The email about a delay is sent immediately.
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
  const isDelay = problem === 'delayed';
  const periodMs = isDelay ? DAY_MS : HOUR_MS;
  const period = Math.floor(at / periodMs);
  await notifyAdvertiser(tx, runtime, {
    workspaceId,
    programId,
    kind: KINDS[problem],
    dedupeKey: `${KINDS[problem]}:${programId}:${batchId}:${period}`,
    payload: { batchId, provider, reason },
    email: {
      kind: 'payout_problem',
      data: { batchId, problem, reason },
      runAt: isDelay ? at : (period + 1) * periodMs,
    },
  });
}
