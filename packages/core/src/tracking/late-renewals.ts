import { findBaseOfSale } from '../domain/commission-base.ts';
import { isSubscription } from '../domain/processor-ref.ts';
import { readSaleLines, weighLines } from '../domain/sale-lines.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type FirstCommission, findFirstCommission } from '../storage/money/commissions.ts';
import { takeRefundsWithoutCommission } from '../storage/money/refunds-without-commission.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { reparkCharges } from '../storage/stripe/processor-charges.ts';
import { reparkDisputes } from '../storage/stripe/processor-disputes.ts';
import { findSaleByPaymentIds, listReferencesOfSale } from '../storage/stripe/processor-refs.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import {
  findSale,
  hasFirstPayment,
  listUnearnedRenewals,
  markAsRenewal,
  mayEarnAsRenewal,
  type SaleKey,
  type SaleRow,
  setNoCommissionReason,
  setSubscription,
} from '../storage/tracking/sales.ts';
import { copyApiRefunds } from './copy-api-refunds.ts';
import { type CommissionBasis, type CommissionPlan, decideCommission } from './decide-commission.ts';
import { findRenewedImport } from './load-commission-rules.ts';
import { movePayment, type SaleWithCommission } from './move-payment.ts';
import { namesUnverifiedKey } from './names-unverified-key.ts';
import { applyParkedEvents } from './payment-references.ts';
import { saveCommission } from './save-commissions.ts';

/**
 * Stores the subscription of a sale that was first reported without a subscription, or with Stripe's id of the
 * subscription. Then decides again about the subscription's renewals that earned nothing. The sale itself may be one of
 * these renewals, even if it was reported with another id of the subscription.
 */
export async function linkSubscription(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  { saleId }: SaleKey,
  subscriptionId: string,
): Promise<void> {
  const sale = await findSale(tx.db, program.id, saleId);
  if (!sale || sale.subscription_id === subscriptionId || sale.customer_id === null) return;
  if (sale.subscription_id === null || (await mayReplaceSubscription(tx, sale, subscriptionId)))
    await setSubscription(tx, sale, subscriptionId);
  const others = (await mayEarnByOtherId(tx, program, sale)) ? [sale] : [];
  await decideLateRenewals(tx, runtime, program, sale.customer_id, subscriptionId, others);
}

/** Whether the sale earned nothing, and has a subscription id that leads to no commission. */
async function mayEarnByOtherId(
  tx: Transaction,
  program: ProgramAccount,
  { subscription_id: stored, customer_id: customerId, no_commission_reason: reason, sale_at: upTo }: SaleRow,
): Promise<boolean> {
  if (stored === null || customerId === null) return false;
  if (reason !== 'recurring_ended') return reason === 'window_expired';
  // The terms may be those of an imported commission. The other id may lead to a commission of the subscription itself.
  return (await findFirstCommission(tx.db, program, customerId, stored, { asOf: null, upTo })) === null;
}

/**
 * Marks a sale as a renewal that was first reported without this information, and stores its subscription. Until then,
 * the sale counted as the first payment of the subscription that it named. Other renewals of this subscription may
 * therefore have earned nothing, so this function decides again about them.
 */
export async function linkRenewal(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  key: SaleKey,
  subscriptionId: string,
): Promise<void> {
  const before = await findSale(tx.db, program.id, key.saleId);
  if (!before) return;
  await markAsRenewal(tx, key);
  await linkSubscription(tx, runtime, program, key, subscriptionId);
  const { customer_id: customerId, subscription_id: named } = before;
  const wasFirst = before.is_recurring === 0 && before.no_commission_reason !== 'recurring_ended';
  if (!wasFirst || customerId === null || named === null) return;
  // If the sale earns nothing by the other id, it must not earn by this id either.
  const after = await findSale(tx.db, program.id, key.saleId);
  if (named === subscriptionId || after?.no_commission_reason === null)
    await decideLateRenewals(tx, runtime, program, customerId, named);
}

/**
 * Whether the sale may get the advertiser's own id of the subscription instead of Stripe's id. If Stripe's id is also a
 * reference of the sale, both ids then lead to the sale, as if the advertiser's id had been reported first.
 */
async function mayReplaceSubscription(
  tx: Transaction,
  { program_id: programId, id: saleId, subscription_id: stored }: SaleRow,
  subscriptionId: string,
): Promise<boolean> {
  if (stored === null || !isSubscription(stored) || isSubscription(subscriptionId)) return false;
  return (await listReferencesOfSale(tx.db, { programId, saleId })).includes(stored);
}

/**
 * Decides again about renewals that earned nothing because their subscription or its first commission was
 * unknown. A renewal therefore earns the same amount, whether it is reported before or after the first
 * payment. If the subscription has no commission, its renewals may renew an imported commission.
 * @param others renewals of the subscription that were reported with another id
 */
export async function decideLateRenewals(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  customerId: number,
  subscriptionId: string,
  others: readonly SaleRow[] = [],
): Promise<void> {
  const named = await listUnearnedRenewals(tx, program.id, customerId, subscriptionId);
  const sales = [...named, ...others];
  for (const sale of sales) {
    // Consider only earlier commissions, so that a renewal of an import does not turn the first payment into a renewal.
    const period = { asOf: null, upTo: sale.sale_at };
    const first =
      (await findFirstCommission(tx.db, program, customerId, subscriptionId, period)) ??
      (await findImportOfRenewal(tx, program, sale, subscriptionId));
    if (!first) continue;
    const owner = await findUnearnedSale(tx, program, sale);
    if (owner) await decideAgain(tx, runtime, program, sale, owner, { first, subscriptionId });
  }
}

async function findImportOfRenewal(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  subscriptionId: string,
): Promise<FirstCommission | null> {
  const { customer_id: customerId, partner_id: partnerId, sale_at: saleAt } = sale;
  const isRenewal = sale.is_recurring === 1 && sale.no_commission_reason === 'window_expired';
  if (!isRenewal || customerId === null || partnerId === null) return null;
  // The renewal may name the subscription by an id other than `subscriptionId`. If a first payment is recorded under
  // that id, the subscription did not come from the import.
  const { subscription_id: named } = sale;
  const isOther = named !== null && named !== subscriptionId;
  if (isOther && (await hasFirstPayment(tx.db, program, customerId, named))) return null;
  return await findRenewedImport(tx, program, { customerId, partnerId, saleAt }, subscriptionId);
}

/**
 * Finds the sale that has the payment ids of a renewal, and therefore also has the refunds of this payment.
 * If the payment was recorded as two sales, the result may be the other sale instead of the renewal.
 * @returns null if that sale has had a commission, or can never earn one
 */
async function findUnearnedSale(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
): Promise<SaleRow | null> {
  const key = await findSaleByPaymentIds(tx.db, program.workspaceId, [sale.processor_event_id]);
  // An earlier renewal in the list may have earned the commission of this sale, so read the sale again.
  const owner = key && (await findSale(tx.db, key.programId, key.saleId));
  return owner && mayEarnAsRenewal(owner) ? owner : null;
}

function withoutCommission(sale: SaleRow): SaleWithCommission {
  return { programId: sale.program_id, saleId: sale.id, sale, commission: null };
}

interface RenewedSubscription {
  readonly first: FirstCommission;
  /** The id that connects the renewal with `first`. The sale may have another id, which would not lead to `first`. */
  readonly subscriptionId: string;
}

/**
 * Decides again about a renewal. The sale that has the ids of the payment earns the commission. If that sale
 * belongs to another customer or program, the renewal earns the commission instead, because the customer of
 * the subscription made the payment. The ids, refunds, and disputes of the payment then move to the renewal.
 * @param owner the sale that has the ids of the payment. May be the renewal itself
 */
async function decideAgain(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  renewal: SaleRow,
  owner: SaleRow,
  { first, subscriptionId }: RenewedSubscription,
): Promise<void> {
  const isOwn = owner.program_id === renewal.program_id && owner.customer_id === renewal.customer_id;
  const sale = isOwn ? owner : renewal;
  const account = { ...program, minSaleCents: sale.min_sale_cents ?? program.minSaleCents };
  const basis = await lateRenewalBasis(tx, program, sale, subscriptionId);
  const decision = basis && decideCommission(account, basis, { policies: [], first });
  if (!basis || !decision || decision.kind === 'no_policy') return;
  // The trace finds these terms by the subscription id of the sale, so the sale gets the id that led to them.
  if (sale.subscription_id !== subscriptionId) await setSubscription(tx, sale, subscriptionId);
  if (decision.kind === 'no_commission') {
    await setNoCommissionReason(tx, program.id, sale.id, decision.reason);
    return;
  }
  if (!isOwn) {
    await movePayment(tx, runtime, program.workspaceId, withoutCommission(owner), withoutCommission(sale));
  }
  await saveLateRenewal(tx, runtime, account, sale, basis, decision.plan);
  await applyEarlierEvents(tx, runtime, program, sale);
}

async function saveLateRenewal(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  sale: SaleRow,
  basis: CommissionBasis,
  plan: CommissionPlan,
): Promise<void> {
  const now = runtime.now();
  await setNoCommissionReason(tx, program.id, sale.id, null);
  await saveCommission(tx, runtime, { program, saleId: sale.id, basis, plan }, now);
  const note = { programId: program.id, customerId: sale.customer_id, saleId: sale.id, detail: null, now };
  await addTraceNote(tx, { ...note, reason: 'renewal_recognized_later' });
  if (plan.needsApproval) await addTraceNote(tx, { ...note, reason: 'customer_key_only_claimed' });
}

/**
 * Applies refunds and disputes that were reported before the sale had a commission. They are parked first, so that they
 * have the same effects as refunds and disputes that arrived before their sale.
 */
async function applyEarlierEvents(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  sale: SaleRow,
): Promise<void> {
  const key = { programId: program.id, saleId: sale.id };
  const charges = [...(await reparkCharges(tx, key)), ...(await reparkDisputes(tx, key))];
  await applyParkedEvents(tx, runtime, program.workspaceId, key, charges);
  await copyApiRefunds(tx, runtime, await takeRefundsWithoutCommission(tx, key), sale, sale);
}

/**
 * Reads the data that determines the commission of a stored sale.
 * @returns null for a sale without a partner
 */
async function lateRenewalBasis(
  tx: Transaction,
  { commissionBase }: ProgramAccount,
  sale: SaleRow,
  subscriptionId: string,
): Promise<CommissionBasis | null> {
  const { customer_id: customerId, partner_id: partnerId, product_id: productId } = sale;
  if (customerId === null || partnerId === null) return null;
  const lineItems: unknown = sale.line_items === null ? null : JSON.parse(sale.line_items);
  const amounts = {
    amountCents: sale.amount_cents,
    taxCents: sale.tax_cents ?? 0,
    shippingCents: sale.shipping_cents ?? 0,
  };
  // The setting may have changed since the sale was recorded. The weights must match the stored base.
  const base = findBaseOfSale(commissionBase, sale.base_cents, amounts);
  const products = weighLines(base, productId === null ? readSaleLines(lineItems) : []);
  return {
    amountCents: sale.amount_cents,
    baseCents: sale.base_cents ?? sale.amount_cents,
    currency: sale.currency,
    productId,
    ...(products.length > 0 && { products }),
    subscriptionId,
    saleAt: sale.sale_at,
    customerId,
    partnerId,
    // A renewal needs no click, so the time of the sale is used.
    lastClickAt: sale.sale_at,
    isKeyClaimed: await namesUnverifiedKey(tx, sale, customerId),
  };
}
