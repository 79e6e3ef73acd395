import { decideRejection } from '../domain/commission-status.ts';
import { computeOpenCents } from '../domain/refund.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { bookAdjustment } from '../storage/money/book-adjustment.ts';
import { type CommissionRow, lockCommissionOfSale } from '../storage/money/commissions.ts';
import { setDisputed } from '../storage/money/dispute-hold.ts';
import { listRefundsOfSale } from '../storage/money/refunds.ts';
import { takeRefundsWithoutCommission } from '../storage/money/refunds-without-commission.ts';
import { rejectLockedCommission } from '../storage/money/reject-commission.ts';
import { reparkCharges } from '../storage/stripe/processor-charges.ts';
import { reparkDisputes } from '../storage/stripe/processor-disputes.ts';
import { moveProcessorReferences } from '../storage/stripe/processor-refs.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import type { SaleKey, SaleRow } from '../storage/tracking/sales.ts';
import { publishCommission } from '../webhooks/publish-commission.ts';
import { changeRefundedTotal } from './change-refunded-total.ts';
import { copyApiRefunds } from './copy-api-refunds.ts';
import { applyParkedEvents } from './payment-references.ts';
import { loadSaleRefunds } from './sale-refunds.ts';

/** A sale, and its commission if it has one. */
export interface SaleWithCommission extends SaleKey {
  readonly sale: SaleRow;
  readonly commission: CommissionRow | null;
}

/** What happened to the duplicate's commission. The notification and the trace note contain this value. */
type CommissionResult = 'rejected' | 'reversed' | 'nothing_to_reject';

/**
 * Makes one of two sales of a payment the duplicate. The ids, refunds, and disputes of the payment move to the kept
 * sale. If the duplicate has a commission, the commission ends.
 * @param duplicate its commission must be locked, like that of `kept`
 * @returns false if the duplicate has no ids any more, because another process has already merged the two sales
 */
export async function movePayment(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  duplicate: SaleWithCommission,
  kept: SaleWithCommission,
): Promise<boolean> {
  if ((await moveProcessorReferences(tx, duplicate, kept)) === 0) return false;
  const charges = [...(await reparkCharges(tx, duplicate)), ...(await reparkDisputes(tx, duplicate))];
  // List the refunds first. The reversal of the duplicate is stored as a refund too, but must not be
  // copied.
  const refunds = await listApiRefunds(tx, duplicate);
  // The trace recognizes the entries of the merge by the time of its notes, so all of them have the same time.
  const now = runtime.now();
  const endedCommission = await endCommission(tx, runtime, duplicate, kept, now);
  await recordMerge(tx, workspaceId, kept, duplicate, endedCommission, now);
  await applyParkedEvents(tx, runtime, workspaceId, kept, charges);
  await copyApiRefunds(tx, runtime, refunds, duplicate.sale, kept.sale);
  return true;
}

/** Lists the refunds of a sale that were reported through the API, whether or not they affected a commission. */
async function listApiRefunds(tx: Transaction, key: SaleKey) {
  const applied = await listRefundsOfSale(tx.db, key);
  return [
    ...applied.filter(({ source }) => source === 'api'),
    ...(await takeRefundsWithoutCommission(tx, key)),
  ];
}

/**
 * Rejects the commission of the duplicate. If the commission can no longer be rejected, reverses the rest of
 * the commission, including its adjustments. The deduction may make the balance negative, because the balance must end
 * up the same as without the commission.
 */
async function endCommission(
  tx: Transaction,
  runtime: Runtime,
  duplicate: SaleWithCommission,
  kept: SaleWithCommission,
  now: number,
): Promise<CommissionResult> {
  const { sale, commission } = duplicate;
  if (!commission || !isEarning(duplicate)) return 'nothing_to_reject';
  await setDisputed(tx, commission, false, now);
  if (isRejectable(duplicate)) {
    const change = await rejectLockedCommission(tx, commission, now, false);
    await publishCommission(tx, 'commission.rejected', { ...commission, ...change }, now);
    return 'rejected';
  }
  const reason = `The payment was recorded twice, also as ${kept.sale.processor_event_id}`;
  const isRefunded = await refundRest(tx, runtime, sale, commission, reason, now);
  const isLowered = await subtractRest(tx, sale, reason, now);
  return isRefunded || isLowered ? 'reversed' : 'nothing_to_reject';
}

/** @returns false if the whole sale was refunded before */
async function refundRest(
  tx: Transaction,
  runtime: Runtime,
  sale: SaleRow,
  commission: CommissionRow,
  reason: string,
  now: number,
): Promise<boolean> {
  const { appliedCents } = await loadSaleRefunds(tx, sale);
  if (appliedCents >= sale.amount_cents) return false;
  const change = {
    source: 'api' as const,
    refund_id: null,
    refund_amount_cents: null,
    applied_cents: sale.amount_cents - appliedCents,
    refundedCents: sale.amount_cents,
    isClamped: false,
    reason,
  };
  await changeRefundedTotal(tx, runtime, sale, commission, change, { refundAt: now, now });
  return true;
}

/**
 * Subtracts what is left of a reversed commission. Something is left if adjustments added an amount, because refunds
 * do not deduct such amounts.
 * @returns false if nothing was left
 */
async function subtractRest(tx: Transaction, sale: SaleRow, reason: string, now: number): Promise<boolean> {
  const commission = await lockCommissionOfSale(tx, sale.program_id, sale.id);
  const openCents = commission ? computeOpenCents(commission) : 0;
  if (!commission || openCents <= 0) return false;
  const adjustment = { amountCents: -openCents, reason, idempotencyKey: null, isClamped: false };
  await bookAdjustment(tx, commission, adjustment, now);
  return true;
}

export function isRejectable({ commission }: SaleWithCommission): boolean {
  return commission !== null && decideRejection(commission) === 'change';
}

export function isEarning({ commission }: SaleWithCommission): boolean {
  return commission !== null && commission.status !== 'rejected';
}

/** Writes trace notes about the merge for both sales, and notifies the advertiser. */
async function recordMerge(
  tx: Transaction,
  workspaceId: number,
  kept: SaleWithCommission,
  duplicate: SaleWithCommission,
  result: CommissionResult,
  now: number,
): Promise<void> {
  const note = (of: SaleWithCommission, other: SaleWithCommission, reason: string) =>
    addTraceNote(tx, {
      programId: of.programId,
      customerId: of.sale.customer_id,
      saleId: of.saleId,
      reason,
      detail: other.sale.processor_event_id,
      now,
    });
  await note(kept, duplicate, 'sale_recorded_twice');
  await note(duplicate, kept, `duplicate_sale_${result}`);
  await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: duplicate.programId,
    partner_id: null,
    kind: 'sale_recorded_twice',
    dedupe_key: `sale_recorded_twice:${duplicate.programId}:${duplicate.saleId}`,
    payload: JSON.stringify({
      transactionId: kept.sale.processor_event_id,
      duplicateTransactionId: duplicate.sale.processor_event_id,
      duplicateCommissionId: duplicate.commission?.id ?? null,
      done: result,
    }),
    created_at: now,
  });
}
