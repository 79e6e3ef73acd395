import { decideRejection, isInReview } from '../domain/commission-status.ts';
import { isSubscription } from '../domain/processor-ref.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type CommissionRow, lockCommissionOfSale } from '../storage/money/commissions.ts';
import { setDisputed } from '../storage/money/dispute-hold.ts';
import { listRefundsOfSale } from '../storage/money/refunds.ts';
import { takeRefundsWithoutCommission } from '../storage/money/refunds-without-commission.ts';
import { rejectLockedCommission } from '../storage/money/reject-commission.ts';
import { findProgram } from '../storage/programs/programs.ts';
import { reparkCharges } from '../storage/stripe/processor-charges.ts';
import { reparkDisputes } from '../storage/stripe/processor-disputes.ts';
import { listSalesByReference, moveProcessorReferences } from '../storage/stripe/processor-refs.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import { findSale, mayEarnAsRenewal, type SaleKey, type SaleRow } from '../storage/tracking/sales.ts';
import { publishCommission } from '../webhooks/publish-commission.ts';
import { changeRefundedTotal } from './change-refunded-total.ts';
import { copyApiRefunds } from './copy-api-refunds.ts';
import { linkSubscription } from './late-renewals.ts';
import { applyParkedEvents } from './payment-references.ts';
import { repairCommission } from './repair-commission.ts';
import { loadSaleRefunds } from './sale-refunds.ts';

interface SaleWithCommission extends SaleKey {
  readonly sale: SaleRow;
  readonly commission: CommissionRow | null;
}

/** What happened to the duplicate's commission. The notification and the trace note contain this value. */
type CommissionResult = 'rejected' | 'reversed' | 'nothing_to_reject';

/**
 * Merges sales that have ids of the same payment. Such sales were recorded before an event showed that the ids
 * belong together. Only one sale keeps its commission. The other sale is called the duplicate, and its commission
 * is rejected. If that commission was already paid, refunded, or part of a payout, it is reversed instead.
 * Refunds and disputes of the payment then apply to the remaining commission.
 *
 * Normally the later sale is the duplicate. The earlier sale is the duplicate in these cases:
 * - Only the later sale earns a commission.
 * - Neither sale earns a commission, and only that of the later sale was rejected. The payment must not earn again.
 * - Neither sale has had a commission, and only the later sale may still earn one as a renewal.
 * - Only the commission of the later sale was paid.
 * - Only the commission of the earlier sale can still be rejected.
 * - Only the commission of the earlier sale needs an approval, because a browser claimed its customer key.
 * @param programId merge only sales of this program. @default all programs of the workspace
 * @returns the sale that is kept, or null when no sale has one of the ids
 */
export async function mergeSales(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  refs: readonly string[],
  programId?: number,
): Promise<SaleKey | null> {
  // A subscription has many payments, so its id does not prove that two sales are the same payment.
  const paymentRefs = refs.filter((ref) => !isSubscription(ref));
  const sales = await listSalesByReference(tx.db, workspaceId, paymentRefs);
  const [first, ...others] = sales.filter((sale) => programId === undefined || sale.programId === programId);
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
  const [a, b] = [
    await loadSaleWithCommission(tx, runtime, first),
    await loadSaleWithCommission(tx, runtime, later),
  ];
  const [kept, duplicate] = isLaterKept(a, b) ? [b, a] : [a, b];
  // If there are no references to move, another process has already merged the two sales.
  if ((await moveProcessorReferences(tx, duplicate, kept)) === 0) return kept;
  const charges = [...(await reparkCharges(tx, duplicate)), ...(await reparkDisputes(tx, duplicate))];
  // List the refunds first. The reversal of the duplicate is stored as a refund too, but must not be
  // copied.
  const refunds = await listApiRefunds(tx, duplicate);
  const endedCommission = await endCommission(tx, runtime, duplicate, kept);
  await recordMerge(tx, workspaceId, kept, duplicate, endedCommission, runtime.now());
  await applyParkedEvents(tx, runtime, workspaceId, kept, charges);
  await copyApiRefunds(tx, runtime, refunds, duplicate.sale, kept.sale);
  await copySubscription(tx, runtime, duplicate.sale, kept);
  return { programId: kept.programId, saleId: kept.saleId };
}

/**
 * Gives the kept sale the subscription of the duplicate, unless it has a subscription. The duplicate can no longer earn
 * as a renewal, or be the first payment of the subscription.
 */
async function copySubscription(
  tx: Transaction,
  runtime: Runtime,
  { subscription_id }: SaleRow,
  kept: SaleKey,
): Promise<void> {
  if (subscription_id === null) return;
  const program = await findProgram(tx.db, kept.programId);
  if (program) await linkSubscription(tx, runtime, program, kept, subscription_id);
}

/** Lists the refunds that the API reported for a sale, whether or not they affected a commission. */
async function listApiRefunds(tx: Transaction, key: SaleKey) {
  const applied = await listRefundsOfSale(tx.db, key);
  return [
    ...applied.filter(({ source }) => source === 'api'),
    ...(await takeRefundsWithoutCommission(tx, key)),
  ];
}

/**
 * Rejects the commission of the duplicate. If the commission can no longer be rejected, reverses the rest of
 * the commission. The deduction may make the balance negative, because the balance must end up the same as
 * without the commission.
 */
async function endCommission(
  tx: Transaction,
  runtime: Runtime,
  duplicate: SaleWithCommission,
  kept: SaleWithCommission,
): Promise<CommissionResult> {
  const { sale, commission } = duplicate;
  if (!commission || !isEarning(duplicate)) return 'nothing_to_reject';
  const now = runtime.now();
  await setDisputed(tx, commission, false, now);
  if (isRejectable(duplicate)) {
    const change = await rejectLockedCommission(tx, commission, now, false);
    await publishCommission(tx, 'commission.rejected', { ...commission, ...change }, now);
    return 'rejected';
  }
  const { appliedCents } = await loadSaleRefunds(tx, sale);
  if (appliedCents >= sale.amount_cents) return 'nothing_to_reject';
  const change = {
    source: 'api' as const,
    refund_id: null,
    refund_amount_cents: null,
    applied_cents: sale.amount_cents - appliedCents,
    refundedCents: sale.amount_cents,
    isClamped: false,
    reason: `The payment was recorded twice, also as ${kept.sale.processor_event_id}`,
  };
  await changeRefundedTotal(tx, runtime, sale, commission, change, { refundAt: now, now });
  return 'reversed';
}

function isLaterKept(first: SaleWithCommission, later: SaleWithCommission): boolean {
  if (!isEarning(first) && !isEarning(later)) {
    if (first.commission !== null) return false;
    return later.commission !== null || (isUnearnedRenewal(later) && !isUnearnedRenewal(first));
  }
  if (!isEarning(later)) return false;
  if (!isEarning(first)) return true;
  if (isPaid(first) !== isPaid(later)) return isPaid(later);
  return (
    isRejectable(first) &&
    (hasUnrejectableCommission(later) || (hasCommissionInReview(first) && !hasCommissionInReview(later)))
  );
}

async function loadSaleWithCommission(
  tx: Transaction,
  runtime: Runtime,
  key: SaleKey,
): Promise<SaleWithCommission> {
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

function isUnearnedRenewal({ sale }: SaleWithCommission): boolean {
  return sale.subscription_id !== null && mayEarnAsRenewal(sale);
}

function isRejectable({ commission }: SaleWithCommission): boolean {
  return commission !== null && decideRejection(commission) === 'change';
}

function isEarning({ commission }: SaleWithCommission): boolean {
  return commission !== null && commission.status !== 'rejected';
}

function isPaid({ commission }: SaleWithCommission): boolean {
  return commission !== null && commission.paid_at !== null;
}

function hasCommissionInReview({ commission }: SaleWithCommission): boolean {
  return commission !== null && isInReview(commission);
}

function hasUnrejectableCommission(sale: SaleWithCommission): boolean {
  return isEarning(sale) && !isRejectable(sale);
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
