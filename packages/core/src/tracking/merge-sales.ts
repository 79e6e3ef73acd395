import { decideRejection, isInReview } from '../domain/commission-status.ts';
import { proportion } from '../domain/money.ts';
import { isSubscription } from '../domain/processor-ref.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type CommissionRow, lockCommissionOfSale } from '../storage/money/commissions.ts';
import { setDisputed } from '../storage/money/dispute-hold.ts';
import { listRefundsOfSale } from '../storage/money/refunds.ts';
import { rejectLockedCommission } from '../storage/money/reject-commission.ts';
import { findProgram } from '../storage/programs/programs.ts';
import { reparkCharges } from '../storage/stripe/processor-charges.ts';
import { reparkDisputes } from '../storage/stripe/processor-disputes.ts';
import { listSalesByReference, moveProcessorReferences } from '../storage/stripe/processor-refs.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import { findSale, type SaleKey, type SaleRow } from '../storage/tracking/sales.ts';
import { applyParkedEvents } from './payment-references.ts';
import { repairCommission } from './repair-commission.ts';
import { refundSale } from './track-refund.ts';

interface SaleWithCommission extends SaleKey {
  readonly sale: SaleRow;
  readonly commission: CommissionRow | null;
}

/** What happened to the duplicate's commission. Stored in the notification and the trace note. */
type CommissionResult = 'rejected' | 'nothing_to_reject' | 'not_rejected';

/**
 * Merges the sales that hold ids of the same payment. Such sales were recorded before an event tied the ids
 * together. Normally the later sale is the duplicate. The earlier sale is the duplicate in three cases:
 * - Only the later sale earns a commission.
 * - The commission of the later sale can no longer be rejected, and that of the earlier sale still can.
 * - Only the commission of the earlier sale needs an approval, because a browser claimed its customer key.
 * @returns the sale that is kept, or null when no sale holds one of the ids
 */
export async function mergeSales(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  refs: readonly string[],
): Promise<SaleKey | null> {
  // A subscription has many payments, so its id does not show that two sales are the same payment.
  const paymentRefs = refs.filter((ref) => !isSubscription(ref));
  const [first, ...others] = await listSalesByReference(tx.db, workspaceId, paymentRefs);
  if (!first) return null;
  let kept: SaleKey = first;
  for (const other of others) kept = await mergeTwo(tx, runtime, workspaceId, kept, other);
  return kept;
}

async function mergeTwo(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  first: SaleKey,
  later: SaleKey,
): Promise<SaleKey> {
  const [a, b] = [await load(tx, runtime, first), await load(tx, runtime, later)];
  const [kept, duplicate] = isLaterKept(a, b) ? [b, a] : [a, b];
  // If no reference is left to move, another process has already merged the two.
  if ((await moveProcessorReferences(tx, duplicate, kept)) === 0) return kept;
  let result: CommissionResult = isFinal(duplicate) ? 'not_rejected' : 'nothing_to_reject';
  if (duplicate.commission && isRejectable(duplicate)) {
    await rejectLockedCommission(tx, duplicate.commission, runtime.now());
    result = 'rejected';
  }
  await recordMerge(tx, workspaceId, kept, duplicate, result, runtime.now());
  if (result === 'not_rejected') {
    await copyRefund(tx, runtime, duplicate, kept);
    await copyRefund(tx, runtime, kept, duplicate);
  }
  const charges = [...(await reparkCharges(tx, duplicate)), ...(await reparkDisputes(tx, duplicate))];
  const left = await lockCommissionOfSale(tx, duplicate.programId, duplicate.saleId);
  if (left) await setDisputed(tx, left, false, runtime.now());
  await applyParkedEvents(tx, runtime, workspaceId, kept, charges);
  return { programId: kept.programId, saleId: kept.saleId };
}

function isLaterKept(first: SaleWithCommission, later: SaleWithCommission): boolean {
  if (!isEarning(later)) return false;
  if (!isEarning(first)) return true;
  return isRejectable(first) && (isFinal(later) || (needsApproval(first) && !needsApproval(later)));
}

async function load(tx: Transaction, runtime: Runtime, key: SaleKey): Promise<SaleWithCommission> {
  const { programId, saleId } = key;
  const program = await findProgram(tx.db, programId);
  const sale = await findSale(tx.db, programId, saleId);
  if (!sale)
    throw new Error(`Sale ${saleId} of program ${programId} has payment references, but does not exist`);
  const commission =
    (await lockCommissionOfSale(tx, programId, saleId)) ??
    (program && (await repairCommission(tx, runtime, program, sale)));
  return { programId, saleId, sale, commission };
}

/** Copies the refunds of one sale to the other, because both keep a commission for the same payment. */
async function copyRefund(
  tx: Transaction,
  runtime: Runtime,
  from: SaleWithCommission,
  to: SaleWithCommission,
): Promise<void> {
  const refunds = await listRefundsOfSale(tx.db, from);
  const cents = refunds.reduce((total, { applied_cents }) => total + applied_cents, 0);
  const latest = refunds.findLast(({ applied_cents }) => applied_cents > 0);
  const program = latest && cents > 0 ? await findProgram(tx.db, to.programId) : null;
  if (!latest || !program) return;
  const { reason, refund_at: refundAt } = latest;
  const isWhole = cents >= from.sale.amount_cents;
  // The two sales may have different amounts or currencies, so a partial refund is copied in proportion.
  const amountCents = isWhole ? 0 : proportion(to.sale.amount_cents, cents, from.sale.amount_cents);
  const time = { refundAt, now: runtime.now() };
  await refundSale(tx, runtime, program, to.sale, { refundId: null, amountCents, reason }, time);
}

/** Whether the sale has a commission that can still be rejected. */
function isRejectable({ commission }: SaleWithCommission): boolean {
  return commission !== null && decideRejection(commission) === 'change';
}

/** Whether the sale has a commission that was not rejected. */
function isEarning({ commission }: SaleWithCommission): boolean {
  return commission !== null && commission.status !== 'rejected';
}

/** Whether the sale has a commission that only an approval by hand can make payable. */
function needsApproval({ commission }: SaleWithCommission): boolean {
  return commission !== null && isInReview(commission);
}

/** Whether the sale has a commission that can no longer be rejected. */
function isFinal(sale: SaleWithCommission): boolean {
  return isEarning(sale) && !isRejectable(sale);
}

/** Adds trace notes to both sales and notifies the advertiser. */
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
