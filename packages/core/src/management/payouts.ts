import { sealPayee } from '../access/sealed-payout-details.ts';
import { formatMoney } from '../domain/money.ts';
import { decidePayout } from '../domain/payout-status.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { postPayoutStep } from '../storage/money/ledger.ts';
import { closeBatchItem, findBatchItem } from '../storage/money/payout-batches.ts';
import { findTransfer } from '../storage/money/payout-transfers.ts';
import {
  findPayout,
  listPendingOfPayout,
  lockCommissionsOfPayout,
  lockPayout,
  type PayoutRow,
  type PayoutView,
  payCommissions,
  releaseCommissions,
  updatePayout,
} from '../storage/money/payouts.ts';
import { findPayoutDetails } from '../storage/programs/payout-details.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { enqueueNotices, type Notice } from '../storage/tracking/outbox.ts';
import { commissionEvent, payoutEvent } from '../webhooks/event-payloads.ts';
import { isSubscribed, loadPublisher, type ProgramEvent, publishEvents } from '../webhooks/publish-events.ts';
import { recordChange } from './audit.ts';

/** The details of a payment that was made outside of Affkit. */
export interface Payment {
  readonly reference?: string | null;
  /** The amount that the payout must have. Undefined accepts any amount. */
  readonly expectedCents?: number | undefined;
}

/**
 * Marks a pending payout and its commissions as paid. If the payout is already paid, nothing changes, not
 * even the reference.
 */
export function markPayoutPaid(
  runtime: Runtime,
  program: ProgramAccount,
  payoutId: number,
  payment: Payment,
): Promise<PayoutView | Rejection> {
  return runtime.engine.write(program.workspaceId, (tx) =>
    markPayoutPaidIn(tx, runtime, program, payoutId, payment),
  );
}

/** Does the work of `markPayoutPaid` in a transaction. If the result is a rejection, nothing was written. */
export function markPayoutPaidIn(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  payoutId: number,
  { reference = null, expectedCents }: Payment,
  by: 'hand' | 'provider' = 'hand',
): Promise<PayoutView | Rejection> {
  const at = runtime.now();
  const end = { status: 'paid' as const, reference, paid_at: at };
  return closePayout(tx, runtime, program, { payoutId, expectedCents }, end, by, async (payout) => {
    await postPayoutStep(tx, payoutSubjectOf(payout, at), 'pay', payout.amount_cents);
    await payCommissions(tx, payout, at);
    const payload = { payoutId, amountCents: payout.amount_cents, currency: payout.currency, reference };
    const notice: Notice = { partnerId: payout.partner_id, kind: 'payout_paid', payload };
    // Refunds may have reduced the payout to zero. The partner is not notified in this case.
    if (payout.amount_cents === 0) return;
    await enqueueNotices(tx, program.id, 'notify_payout', payoutId, [notice], at);
  });
}

/**
 * Cancels a pending payout, so that another payout can include its commissions. Repeating the call changes
 * nothing.
 */
export function cancelPayout(
  runtime: Runtime,
  program: ProgramAccount,
  payoutId: number,
): Promise<PayoutView | Rejection> {
  const at = runtime.now();
  const end = { status: 'cancelled' as const, cancelled_at: at };
  return runtime.engine.write(program.workspaceId, (tx) =>
    closePayout(tx, runtime, program, { payoutId }, end, 'hand', async (payout) => {
      await postPayoutStep(tx, payoutSubjectOf(payout, at), 'release', payout.amount_cents);
      await releaseCommissions(tx, payout);
    }),
  );
}

/**
 * Returns a rejection if a provider is sending the payout, or else null. Until the provider reports a result, or the
 * transfer becomes unclear, nothing else may close the payout. Otherwise, the partner could be paid twice. The payout
 * must be locked.
 */
export async function inFlightRejection(
  tx: Transaction,
  programId: number,
  batchId: number,
  payoutId: number,
): Promise<Rejection | null> {
  const transfer = await findTransfer(tx.db, programId, batchId, payoutId);
  if (transfer === null || transfer.state === 'done' || transfer.state === 'unclear') return null;
  const message = `Payout ${payoutId} is being sent by ${transfer.provider}. Wait until its result is known. If the payout becomes unclear, import the result.`;
  return new Rejection('payout_in_flight', message);
}

/** The fields of a payout that the audit log records. */
export function payoutStateOf(payout: Pick<PayoutRow, 'status' | 'amount_cents' | 'reference'>) {
  return { status: payout.status, amount_cents: payout.amount_cents, reference: payout.reference };
}

/**
 * Ends a pending payout. If a payment and a cancellation run concurrently, only the first one to lock the
 * payout takes effect.
 */
async function closePayout(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  { payoutId, expectedCents }: { readonly payoutId: number; readonly expectedCents?: number | undefined },
  statusChange: Partial<PayoutRow> & { readonly status: 'paid' | 'cancelled' },
  by: 'hand' | 'provider',
  move: (payout: PayoutRow) => Promise<void>,
): Promise<PayoutView | Rejection> {
  await lockCommissionsOfPayout(tx, program.id, payoutId);
  const payout = await lockPayout(tx, program.id, payoutId);
  if (!payout) return new Rejection('not_found');
  const decision = decidePayout(payout.status, statusChange.status);
  if (decision === 'change') {
    if (expectedCents !== undefined && expectedCents !== payout.amount_cents) {
      const { amount_cents, currency } = payout;
      const message = `The payout is now ${formatMoney(amount_cents, currency)}, not the amount that you sent, so it was not marked as paid. Compare it with your payment, and try again with the current amount.`;
      return new Rejection('conflict', message);
    }
    if (payout.batch_id !== null) {
      const fault = by === 'hand' ? await inFlightRejection(tx, program.id, payout.batch_id, payoutId) : null;
      if (fault !== null) return fault;
      if (statusChange.status === 'cancelled') {
        const message = `Payout cannot be cancelled, because it is in batch ${payout.batch_id}. Import the result of the batch. If nothing was sent, cancel the batch instead.`;
        return new Rejection('payout_state', message);
      }
      const paymentResult = {
        status: 'paid' as const,
        reason: null,
        reference: statusChange.reference ?? null,
      };
      await closeBatchItem(tx, { ...payout, batch_id: payout.batch_id }, paymentResult, runtime.now());
    }
    await publishEnd(tx, { ...payout, ...statusChange }, runtime.now());
    const payee = statusChange.status === 'paid' && {
      sealed_payee: await makeSealedPayee(tx, runtime, payout),
    };
    await updatePayout(tx, payout, { ...statusChange, ...payee, batch_id: null });
    await move(payout);
    await recordChange(tx, runtime, {
      workspaceId: program.workspaceId,
      programId: program.id,
      action: statusChange.status === 'paid' ? 'payout.mark_paid' : 'payout.cancel',
      subjectId: payoutId,
      before: payoutStateOf(payout),
      after: payoutStateOf({ ...payout, ...statusChange }),
    });
  } else if (decision !== 'done') {
    return new Rejection('payout_state', decision.rejectionMessage);
  }
  return (await findPayout(tx.db, program.id, payoutId)) ?? new Rejection('not_found');
}

/**
 * Encrypts the data of a payout's payee. The data comes from the payout details in the batch, or else from
 * the partner's current payout details.
 */
async function makeSealedPayee(
  tx: Transaction,
  runtime: Runtime,
  { program_id, partner_id, batch_id, id }: PayoutRow,
): Promise<string | null> {
  const item = batch_id === null ? null : await findBatchItem(tx.db, program_id, batch_id, id);
  // Batches that were imported together with a program contain no payout details.
  if (item && item.sealed_details !== '') {
    return sealPayee(runtime, { partner_id, sealed: item.sealed_details });
  }
  const details = (await findPayoutDetails(tx.db, [partner_id])).get(partner_id);
  return details ? sealPayee(runtime, details) : null;
}

/**
 * Publishes the event that a payout was paid or cancelled. If it was paid, commissions that are still pending count
 * as approved, and their approval is published too. Call this function before these commissions change.
 */
async function publishEnd(
  tx: Transaction,
  payout: PayoutRow & { readonly status: 'paid' | 'cancelled' },
  at: number,
): Promise<void> {
  const program = await loadPublisher(tx, payout.program_id);
  const events: ProgramEvent[] = [{ program, event: payoutEvent(`payout.${payout.status}`, payout) }];
  if (payout.status === 'paid' && isSubscribed(program, 'commission.approved')) {
    for (const commission of await listPendingOfPayout(tx, payout)) {
      const paid = { ...commission, status: 'paid' as const };
      events.unshift({ program, event: commissionEvent('commission.approved', paid) });
    }
  }
  await publishEvents(tx, events, at);
}

function payoutSubjectOf(payout: PayoutRow, at: number) {
  const { program_id: programId, partner_id: partnerId, currency, id: payoutId } = payout;
  return { programId, partnerId, currency, payoutId, at };
}
