import { computeOpenCents } from '../domain/refund.ts';
import { queuePayoutEmail } from '../emails/notice-emails.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { rollbackStepWhen } from '../storage/database/rollback-when.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { updateCommission } from '../storage/money/commissions.ts';
import {
  closeBatchItem,
  findBatchItem,
  findPayoutBatch,
  type PayoutBatchItemRow,
} from '../storage/money/payout-batches.ts';
import { findTransfer } from '../storage/money/payout-transfers.ts';
import {
  listDisputedOfPayout,
  lockCommissionsOfPayout,
  lockPayout,
  type PayoutRow,
  reduceLockedPayout,
  updatePayout,
} from '../storage/money/payouts.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';
import { notifyPayoutProblem } from './payout-problems.ts';
import { inFlightRejection, markPayoutPaidIn, payoutStateOf } from './payouts.ts';
import { writeEach } from './write-each.ts';

/** The result of a payout in a batch, as a bank or provider reports it. */
export interface PayoutResult {
  readonly payoutId: number;
  readonly status: 'paid' | 'failed';
  readonly reference: string | null;
  readonly reason: string | null;
  /** Null when the report does not contain the amount. */
  readonly amountCents: number | null;
  readonly currency: string | null;
  /** Whether the payment failed because of the payer's account. The partner gets no email about such a failure. */
  readonly isPayerFault?: boolean;
}

/** The effect of a result. A repeated result changes nothing. */
export interface AppliedResult {
  readonly payoutId: number;
  readonly status: 'paid' | 'failed';
  readonly isChanged: boolean;
}

/**
 * Applies results to the payouts of a batch. A result that is rejected does not affect the others. `paid`
 * marks the payout as paid. `failed` releases it from the batch, so that another batch can send it.
 * @param options.isDryRun whether to roll back every result
 * @returns one outcome per result, in order; `not_found` when the program has no such batch
 */
export async function applyPayoutResults(
  runtime: Runtime,
  program: ProgramAccount,
  batchId: number,
  results: readonly PayoutResult[],
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<(AppliedResult | Rejection)[] | Rejection> {
  const batch = await findPayoutBatch(runtime.engine.read, program.id, batchId);
  if (!batch) return new Rejection('not_found');
  return await writeEach(runtime, program, results, (tx, result) =>
    rollbackStepWhen(
      tx,
      () => applyResult(tx, runtime, program, batch, result),
      (outcome) => isDryRun || isRejection(outcome),
    ),
  );
}

/** Applies a result that a provider reports. */
export async function applyProviderResult(
  runtime: Runtime,
  program: ProgramAccount,
  batchId: number,
  result: Pick<PayoutResult, 'payoutId' | 'status' | 'reference' | 'reason' | 'isPayerFault'>,
): Promise<AppliedResult | Rejection> {
  const batch = await findPayoutBatch(runtime.engine.read, program.id, batchId);
  if (!batch) return new Rejection('not_found');
  return await transactOrReject(runtime.engine, program.workspaceId, (tx) =>
    applyResult(tx, runtime, program, batch, { ...result, amountCents: null, currency: null }, 'provider'),
  );
}

async function applyResult(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  batch: { readonly id: number; readonly currency: string },
  result: PayoutResult,
  by: 'hand' | 'provider' = 'hand',
): Promise<AppliedResult | Rejection> {
  const { payoutId, status, reference, reason } = result;
  await lockCommissionsOfPayout(tx, program.id, payoutId);
  const payout = await lockPayout(tx, program.id, payoutId);
  const batchItem = payout && (await findBatchItem(tx.db, program.id, batch.id, payoutId));
  if (!payout || !batchItem) {
    return invalidResult(
      `Batch ${batch.id} does not contain payout ${payoutId}. Import this row into the batch that contains the payout.`,
    );
  }
  const fault = amountFault(batchItem, batch.currency, result);
  if (fault !== null) return fault;
  // A payout that was cancelled before it was sent counts as failed.
  if (batchItem.status === status || (batchItem.status === 'cancelled' && status === 'failed')) {
    return { payoutId, status, isChanged: false };
  }
  if (batchItem.status !== 'sent') return contradiction(batchItem, status);
  const inFlight = by === 'hand' ? await inFlightRejection(tx, program.id, batch.id, payoutId) : null;
  if (inFlight !== null) return inFlight;
  if (status === 'paid') {
    const paid = await markPayoutPaidIn(tx, runtime, program, payoutId, { reference }, by);
    return isRejection(paid) ? paid : { payoutId, status, isChanged: true };
  }
  const { isPayerFault = false } = result;
  await releasePayout(tx, runtime, program, payout, batchItem, { status, reference, reason, isPayerFault });
  const transfer = by === 'provider' ? await findTransfer(tx.db, program.id, batch.id, payoutId) : null;
  if (transfer !== null) await notifyPayoutProblem(tx, runtime, transfer, 'failed', reason);
  return { payoutId, status, isChanged: true };
}

function amountFault(
  item: PayoutBatchItemRow,
  batchCurrency: string,
  { amountCents, currency }: PayoutResult,
): Rejection | null {
  if (currency !== null && currency !== batchCurrency) {
    return invalidResult(
      `The currency of the batch is ${batchCurrency}, but this row says ${currency}. Check that the file belongs to this batch.`,
    );
  }
  if (amountCents === null || amountCents === item.amount_cents) return null;
  return invalidResult(
    `The payout's amount in the batch is ${item.amount_cents}, but this row says ${amountCents} (both in the smallest unit). Check the payment, and mark the payout as paid by hand.`,
  );
}

function contradiction(item: PayoutBatchItemRow, status: 'paid' | 'failed'): Rejection {
  const advice =
    status === 'paid'
      ? 'Check whether the payout has been sent again. If it has not, mark it as paid by hand.'
      : 'If the money came back, adjust a commission to add the amount to the balance.';
  return new Rejection(
    'conflict',
    `Payout ${item.payout_id} already has the status "${item.status}" in this batch, but this row says "${status}". ${advice}`,
  );
}

function invalidResult(message: string): Rejection {
  return new Rejection('invalid_field', message);
}

/**
 * Releases a payout that was not paid. The payout becomes pending again. Refunds and disputes that arrived
 * while it was in the batch reduce its amount now. The payout and its commissions must be locked.
 */
export async function releasePayout(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  payout: PayoutRow,
  item: PayoutBatchItemRow,
  {
    isPayerFault = false,
    ...end
  }: Pick<PayoutBatchItemRow, 'reference' | 'reason'> & {
    readonly status: 'failed' | 'cancelled';
    readonly isPayerFault?: boolean;
  },
): Promise<void> {
  const at = runtime.now();
  const { program_id: programId, partner_id: partnerId, currency, id: payoutId } = payout;
  const subject = { programId, partnerId, currency, at };
  await closeBatchItem(tx, { program_id: programId, id: payoutId, batch_id: item.batch_id }, end, at);
  await updatePayout(tx, payout, { batch_id: null });
  let lossCents = item.withheld_cents;
  for (const commission of await listDisputedOfPayout(tx.db, programId, payoutId)) {
    lossCents += Math.max(0, computeOpenCents(commission));
    await updateCommission(tx, commission, { payout_id: null });
  }
  await reduceLockedPayout(tx, payout, subject, lossCents);
  // If the payer's account caused the failure, the partner gets no email, because the partner cannot fix that account
  // and must not learn about its balance.
  if (end.status === 'failed' && !isPayerFault) {
    const attempt = String(item.batch_id);
    await queuePayoutEmail(tx, runtime, payout, { kind: 'payout_failed', detail: end.reason, attempt });
  }
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId,
    action: end.status === 'failed' ? 'payout.fail' : 'payout.release',
    subjectId: payoutId,
    before: { ...payoutStateOf(payout), batch_id: item.batch_id },
    after: {
      ...payoutStateOf({
        ...payout,
        amount_cents: payout.amount_cents - Math.min(lossCents, payout.amount_cents),
      }),
      batch_id: null,
      reason: end.reason,
    },
  });
}
