import { isInReview } from '../domain/commission-status.ts';
import { isSubscription } from '../domain/processor-ref.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockCommissionOfSale } from '../storage/money/commissions.ts';
import { findProgram } from '../storage/programs/programs.ts';
import { listSalesByReference } from '../storage/stripe/processor-refs.ts';
import { findSale, mayEarnAsRenewal, type SaleKey, type SaleRow } from '../storage/tracking/sales.ts';
import { linkSubscription } from './late-renewals.ts';
import { isEarning, isRejectable, movePayment, type SaleWithCommission } from './move-payment.ts';
import { repairCommission } from './repair-commission.ts';

/**
 * Merges sales that have ids of the same payment. Such sales were recorded before an event showed that the ids
 * belong together. Only one sale keeps its commission. The other sale is called the duplicate, and its commission
 * is rejected. If that commission was already paid, refunded, or part of a payout, it is reversed instead.
 * Refunds and disputes of the payment then apply to the remaining commission.
 *
 * Normally the later sale is the duplicate. The earlier sale is the duplicate in these cases:
 * - Only the later sale earns a commission.
 * - Only the later sale has a commission, and it was rejected. The payment must not earn again.
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
  const isMoved = await movePayment(tx, runtime, workspaceId, duplicate, kept);
  if (isMoved) await copySubscription(tx, runtime, duplicate.sale, kept);
  return { programId: kept.programId, saleId: kept.saleId };
}

/**
 * Gives the kept sale the subscription of the duplicate, unless the kept sale already has one. The kept
 * sale may then earn as a renewal, or be the first payment of the subscription.
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

function isPaid({ commission }: SaleWithCommission): boolean {
  return commission !== null && commission.paid_at !== null;
}

function hasCommissionInReview({ commission }: SaleWithCommission): boolean {
  return commission !== null && isInReview(commission);
}

function hasUnrejectableCommission(sale: SaleWithCommission): boolean {
  return isEarning(sale) && !isRejectable(sale);
}
