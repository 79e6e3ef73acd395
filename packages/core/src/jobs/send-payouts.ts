import type { PayoutProblem } from '../domain/payout-problem.ts';
import { toStorableText } from '../domain/storable-text.ts';
import { releaseIfCancelled } from '../management/cancel-payout-batch.ts';
import { notifyPayoutProblem } from '../management/payout-problems.ts';
import { applyProviderResult } from '../management/payout-results.ts';
import { newTransferKey } from '../management/transfer-key.ts';
import { comparePayment } from '../payout-provider/compare-payment.ts';
import {
  PayoutNotSent,
  type PayoutProvider,
  PayoutRefused,
  type ProviderTransfer,
} from '../payout-provider/provider.ts';
import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  claimTransfer,
  findDueTransfers,
  type LeasedTransfer,
  makeTransferDue,
  type PayoutTransferRow,
  updateLeasedTransfer,
} from '../storage/money/payout-transfers.ts';
import { findProgramOrDeleted } from '../storage/programs/programs.ts';
import { traceCall } from '../telemetry/trace-call.ts';
import { settleAll } from './failures.ts';
import { loadItem, loadPayout } from './load-payout.ts';
import {
  isKeyExpired,
  isLookupOverdue,
  isResultOverdue,
  keyExpiredText,
  overdueText,
  RESULT_LIMIT_MS,
} from './payout-limits.ts';

/** The maximum number of payouts that are sent, or whose status is read, at the same time. */
const CONCURRENT_PAYOUTS = 8;
const CALL_TIMEOUT_MS = 60_000;
/**
 * The duration of a lease. A lease must last longer than the two calls to the provider in a turn, and the
 * writes before and after the calls.
 */
const LEASE_MS = 300_000;
const FIRST_RETRY_MS = 15_000;
const MAX_RETRY_MS = 3_600_000;
const FIRST_POLL_MS = 30_000;
const MAX_POLL_MS = 6 * 3_600_000;
const MAX_ERROR_LENGTH = 500;
/**
 * The advertiser is notified after this many attempts without a confirmation. With the delays between them, the
 * attempts take about eight minutes.
 */
const ATTEMPTS_UNTIL_NOTICE = 6;

/** An outcome that is not final. The attempt is retried, or a user must find out whether the payout was sent. */
type Unfinished =
  | {
      readonly kind: 'retry';
      readonly error: string;
      readonly isSurelyNotSent: boolean;
      /**
       * Whether the provider has stored its reply under the idempotency key. A retry with the same key would get the
       * same reply.
       */
      readonly isKeyUsed: boolean;
    }
  | { readonly kind: 'unclear'; readonly error: string };
type Outcome =
  | { readonly kind: 'transfer'; readonly transfer: ProviderTransfer }
  | { readonly kind: 'refused'; readonly error: string }
  | Unfinished;

/** The values of the label `outcome` of the metric `affkit.payout.calls`. */
const METRIC_OUTCOMES = {
  transfer: 'answered',
  refused: 'refused',
  retry: 'retried',
  unclear: 'unclear',
} as const;

/**
 * Sends queued payouts, and reads the results of sent payouts. A process leases a transfer, calls the provider
 * outside of a transaction, and then stores the result. If the process ends before it stores the result, another
 * process repeats the call with the same idempotency key. When the provider may have forgotten the key, a payout is
 * sent again only if the provider can look up payments and does not find this payment.
 * @returns whether more transfers may be due
 */
export async function sendPayouts(runtime: Runtime): Promise<boolean> {
  const providers = [...runtime.payoutProviders.keys()];
  const limits = { now: runtime.now(), limit: CONCURRENT_PAYOUTS };
  const due = await findDueTransfers(runtime.engine.read, providers, runtime.payoutWorkspaces, limits);
  await settleAll(due.map((row) => advanceTransfer(runtime, row)));
  // Even if other processes have leased all of these transfers, further transfers may be due.
  return due.length > 0;
}

async function advanceTransfer(runtime: Runtime, row: PayoutTransferRow): Promise<void> {
  const provider = runtime.payoutProviders.get(row.provider);
  if (!provider) return;
  // The batch may have been cancelled during an earlier attempt, which then queued the payout again.
  if (row.state === 'queued' && (await releaseIfCancelled(runtime, row))) return;
  const now = runtime.now();
  const lease = { now, leasedUntil: now + LEASE_MS };
  const leased = await runtime.engine.write(row.workspace_id, (tx) => claimTransfer(tx, row, lease));
  if (leased === null) return;
  const mustSend = leased.state === 'queued' || leased.state === 'sending';
  const { telemetry } = runtime;
  const outcome = await traceCall(
    telemetry,
    {
      name: mustSend ? 'send payout' : 'read payout',
      attributes: { 'affkit.payout.provider': row.provider },
    },
    () => (mustSend ? send : read)(runtime, provider, leased),
    ({ kind }) => (kind === 'transfer' ? null : kind),
  );
  telemetry?.measure('affkit.payout.calls', 1, {
    provider: row.provider,
    outcome: METRIC_OUTCOMES[outcome.kind],
  });
  await storeOutcome(runtime, leased, outcome);
}

async function read(runtime: Runtime, provider: PayoutProvider, leased: LeasedTransfer): Promise<Outcome> {
  const isOverdue = isResultOverdue(runtime, leased);
  try {
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const transfer = await provider.readStatus(leased.transfer_id ?? '', signal);
    if (!isOverdue || transfer.status !== 'pending') return { kind: 'transfer', transfer };
    return { kind: 'unclear', error: overdueText(leased, transfer.reason) };
  } catch (error) {
    return isOverdue ? { kind: 'unclear', error: overdueText(leased, textOf(error)) } : retry(textOf(error));
  }
}

async function send(runtime: Runtime, provider: PayoutProvider, leased: LeasedTransfer): Promise<Outcome> {
  // An earlier attempt may have reached the provider.
  const isRepeated = leased.sent_at !== null;
  const isExpired = isKeyExpired(runtime, provider, leased);
  const earlier = isRepeated ? await findEarlier(runtime, provider, leased, isExpired) : null;
  if (earlier !== null) return earlier;
  const payout = await loadPayout(runtime, leased);
  if (payout === null) {
    const error =
      'The payout details cannot be decrypted, because AFFKIT_SECRET has changed. Restore the secret.';
    return isLookupOverdue(runtime, provider, leased)
      ? { kind: 'unclear', error: overdueText(leased, error) }
      : { ...retry(error), isSurelyNotSent: true };
  }
  try {
    if (isExpired) await restartKeyLifetime(runtime, leased);
    // A suspended process must not send after its lease has expired, because another process may have
    // finished the payout.
    if (runtime.now() >= leased.leasedUntil) throw new Error('The lease expired before the payout was sent.');
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    return { kind: 'transfer', transfer: await provider.send(payout, leased.transfer_key, signal) };
  } catch (error) {
    if (error instanceof PayoutRefused) return refusal(provider, error, isRepeated);
    const isSurelyNotSent = error instanceof PayoutNotSent;
    return { ...retry(textOf(error)), isSurelyNotSent, isKeyUsed: isSurelyNotSent && error.isKeyUsed };
  }
}

function retry(error: string): Extract<Outcome, { readonly kind: 'retry' }> {
  return { kind: 'retry', error, isSurelyNotSent: false, isKeyUsed: false };
}

/**
 * Looks for the payment of an earlier attempt.
 * @param isExpired whether the provider may have forgotten the idempotency key
 * @returns null if the payout may be sent with the same key
 */
async function findEarlier(
  runtime: Runtime,
  provider: PayoutProvider,
  leased: LeasedTransfer,
  isExpired: boolean,
): Promise<Outcome | null> {
  if (!provider.find) return isExpired ? { kind: 'unclear', error: keyExpiredText(leased) } : null;
  try {
    const found = await provider.find(leased.transfer_key, AbortSignal.timeout(CALL_TIMEOUT_MS));
    if (found) return { kind: 'transfer', transfer: found };
  } catch (error) {
    return isLookupOverdue(runtime, provider, leased)
      ? { kind: 'unclear', error: overdueText(leased, textOf(error)) }
      : retry(textOf(error));
  }
  if (!isExpired) return null;
  // `restartKeyLifetime` resets `sent_at`. So only the age of the batch can limit how long the payout is retried.
  const { batch } = await loadItem(runtime, leased);
  return runtime.now() - batch.created_at > RESULT_LIMIT_MS
    ? { kind: 'unclear', error: overdueText(leased, leased.last_error) }
    : null;
}

/**
 * Returns the outcome of an attempt that the provider refused. If it was a repeated attempt, the first attempt may
 * still have succeeded. Only a provider that can look up a payment can prove that the first attempt failed.
 */
function refusal(provider: PayoutProvider, error: PayoutRefused, isRepeated: boolean): Outcome {
  if (!isRepeated || provider.find) return { kind: 'refused', error: textOf(error) };
  const advice = `An earlier attempt got no reply, so the payout may have been sent. Look it up at ${provider.name}, and import the result.`;
  return { kind: 'unclear', error: `${textOf(error)} ${advice}` };
}

async function restartKeyLifetime(runtime: Runtime, leased: LeasedTransfer): Promise<void> {
  const isStored = await runtime.engine.write(leased.workspace_id, (tx) =>
    updateLeasedTransfer(tx, leased, { sent_at: runtime.now() }),
  );
  if (!isStored) throw new Error('Another process continues with this payout.');
}

async function storeOutcome(runtime: Runtime, leased: LeasedTransfer, outcome: Outcome): Promise<void> {
  switch (outcome.kind) {
    case 'transfer':
      return await storeTransfer(runtime, leased, outcome.transfer);
    case 'refused':
      // If the lease has expired, a webhook may have reported that an earlier attempt succeeded. In that case, do
      // not store the failure.
      if (!(await storeErrorIfLeased(runtime, leased, outcome.error))) return;
      return await applyResult(runtime, leased, { status: 'failed', reference: null, reason: outcome.error });
    default:
      return await storeUnfinished(runtime, leased, outcome);
  }
}

/** @returns false, and stores nothing, if the lease of the transfer has expired */
function storeErrorIfLeased(runtime: Runtime, leased: LeasedTransfer, error: string): Promise<boolean> {
  return runtime.engine.write(leased.workspace_id, (tx) =>
    updateLeasedTransfer(tx, leased, { last_error: cut(error) }),
  );
}

async function storeTransfer(
  runtime: Runtime,
  leased: LeasedTransfer,
  { id, status, transactionId, reason, payment, isPayerFault = false }: ProviderTransfer,
): Promise<void> {
  const { batch, item } = await loadItem(runtime, leased);
  const sent = { key: leased.transfer_key, amountCents: item.amount_cents, currency: batch.currency };
  const difference = comparePayment(payment, sent);
  if (difference !== null) {
    const isForeign = payment?.key !== leased.transfer_key;
    return await storeDifference(runtime, leased, { id, isForeign, difference });
  }
  const isStored = await runtime.engine.write(leased.workspace_id, async (tx) => {
    const now = runtime.now();
    const delayMs = Math.min(MAX_POLL_MS, Math.max(FIRST_POLL_MS, (now - (leased.sent_at ?? now)) / 4));
    const isLeased = await updateLeasedTransfer(tx, leased, {
      transfer_id: id,
      ...(leased.state !== 'done' && { state: 'accepted' as const }),
      ...(status === 'pending' && { run_at: now + Math.floor(delayMs), last_error: cut(reason) }),
    });
    // Another process may have ended the transfer without knowing this payment.
    if (!isLeased) await makeTransferDue(tx, leased, id, now, { isLateReply: true });
    return isLeased;
  });
  if (!isStored || status === 'pending') return;
  await applyResult(runtime, leased, { status, reference: transactionId ?? id, reason, isPayerFault });
}

/**
 * Stores that the provider's payment differs from the payment that Affkit sent. The payout does not change.
 */
async function storeDifference(
  runtime: Runtime,
  leased: LeasedTransfer,
  {
    id,
    isForeign,
    difference,
  }: { readonly id: string; readonly isForeign: boolean; readonly difference: string },
): Promise<void> {
  const { provider, program_id, payout_id, state } = leased;
  const advice = 'Look the payout up there, and import its result.';
  const error = cut(`${provider} has the payment ${id}, but ${difference}. ${advice}`);
  await storeChange(runtime, leased, state === 'done' ? 'contradicted' : 'unclear', {
    run_at: null,
    last_error: error,
    // If the payment does not have the idempotency key of this transfer, remove the payment's id from the
    // transfer. A later webhook may contain the id of the right payment.
    ...(isForeign && { transfer_id: null }),
    ...(state !== 'done' && { state: 'unclear' as const }),
  });
  runtime.log.error({ provider, program_id, payout_id, reason: error }, 'payment differs from what was sent');
}

/**
 * Applies the provider's result to the payout. The transaction that closes the payout's item in the batch also closes
 * the transfer.
 */
async function applyResult(
  runtime: Runtime,
  leased: LeasedTransfer,
  result: {
    readonly status: 'paid' | 'failed';
    readonly reference: string | null;
    readonly reason: string | null;
    readonly isPayerFault?: boolean;
  },
): Promise<void> {
  const { payout_id: payoutId, program_id: programId, batch_id: batchId } = leased;
  const reason = result.status === 'failed' ? cut(result.reason) : null;
  // A provider can report another result, such as a reversal, after the program was deleted.
  const program = await findProgramOrDeleted(runtime.engine.read, programId);
  if (!program) throw new Error(`Program ${programId} of payout ${payoutId} does not exist`);
  const applied = await applyProviderResult(runtime, program, batchId, { ...result, payoutId, reason });
  const contradiction = isRejection(applied)
    ? cut(`${leased.provider} reports ${result.reason ?? result.status}, but: ${applied.message}`)
    : null;
  if (contradiction !== null) {
    runtime.log.error(
      { program_id: programId, payout_id: payoutId, reason: contradiction },
      'the result of a payout contradicts the stored result',
    );
  }
  // If the transfer was already closed, the result was only compared with the stored result, and the transfer must
  // remain closed.
  const isStuck = contradiction !== null && leased.state !== 'done';
  const problem = isStuck ? 'unclear' : contradiction === null ? null : 'contradicted';
  await storeChange(runtime, leased, problem, {
    run_at: null,
    last_error: contradiction,
    ...(isStuck && { state: 'unclear' as const }),
  });
}

/** Stores the change of a leased transfer. If there is a problem, notifies the advertiser. */
async function storeChange(
  runtime: Runtime,
  leased: LeasedTransfer,
  problem: PayoutProblem | null,
  change: Parameters<typeof updateLeasedTransfer>[2],
): Promise<void> {
  await runtime.engine.write(leased.workspace_id, async (tx) => {
    const isStored = await updateLeasedTransfer(tx, leased, change);
    if (!isStored || problem === null) return;
    await notifyPayoutProblem(tx, runtime, leased, problem, change.last_error ?? null);
  });
}

async function storeUnfinished(runtime: Runtime, leased: LeasedTransfer, outcome: Unfinished): Promise<void> {
  const { attempts, payout_id, program_id, provider } = leased;
  const error = cut(outcome.error);
  const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 10));
  // In the state `queued`, no earlier request with this key can have succeeded. In any other state, an earlier request
  // may have succeeded or may still succeed. The key must then stay the same, because a request with a new key could
  // pay a second time.
  const isFirst = leased.state === 'queued';
  if (outcome.kind === 'unclear') {
    await storeChange(runtime, leased, 'unclear', { state: 'unclear', run_at: null, last_error: error });
  } else {
    const isUnsent = leased.state === 'queued' || leased.state === 'sending';
    const isDelayed = isUnsent && attempts >= ATTEMPTS_UNTIL_NOTICE;
    await storeChange(runtime, leased, isDelayed ? 'delayed' : null, {
      run_at: runtime.now() + delayMs,
      last_error: error,
      ...(outcome.isSurelyNotSent && isFirst && { state: 'queued' as const, sent_at: null }),
      ...(outcome.isKeyUsed && isFirst && { transfer_key: newTransferKey(runtime) }),
    });
  }
  const fields = { provider, program_id, payout_id, attempts, reason: error };
  if (outcome.kind === 'unclear')
    runtime.log.error(fields, 'payout has an unknown outcome; import its result');
  else runtime.log.warn(fields, 'payout could not be sent or read; it will be retried');
}

function cut(text: string | null): string | null {
  return text === null ? null : toStorableText(text.slice(0, MAX_ERROR_LENGTH));
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.message === 'fetch failed'
    ? error.cause.message
    : error.message;
}
