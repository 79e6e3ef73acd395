import { DAY_MS } from '../domain/calendar.ts';
import { choosePolicy } from '../domain/commission.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { UniqueConflict } from '../storage/database/retry-on-conflict.ts';
import { insertCommissions, listPolicyCandidates } from '../storage/money/commissions.ts';
import { canCreditPartner, creditPartners } from '../storage/money/ledger.ts';
import { findEnrolledPartnerByEmail } from '../storage/programs/partners.ts';
import { listSalesByReference } from '../storage/stripe/processor-refs.ts';
import { addCounters, addDailyTotals } from '../storage/tracking/counters.ts';
import { type CustomerRow, updateCustomers } from '../storage/tracking/customers.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import { findSale, findSaleByTransaction, insertSales } from '../storage/tracking/sales.ts';
import { applyPastState } from './end-commission.ts';
import type { HistoryScope } from './history-scope.ts';
import type { PastCommission, PastRecordOutcome } from './past-records.ts';
import { ensurePastCustomer, unknownPartner } from './record-customer.ts';

/**
 * Records a sale and its commission with the amounts and the state that they had in the other service. The amount of
 * the commission is not computed from a policy. Nobody is notified, because the sale is old. A commission that was
 * recorded before is not changed.
 */
export async function recordPastCommission(
  tx: Transaction,
  scope: HistoryScope,
  past: PastCommission,
): Promise<PastRecordOutcome> {
  const { program, runtime } = scope;
  const transactionId = `${scope.source}:${past.id}`;
  if ((await findSaleByTransaction(tx.db, program.id, transactionId, 0)) !== null) {
    return { outcome: 'existing', note: null };
  }
  const partner = await findEnrolledPartnerByEmail(tx.db, program, past.partnerEmail);
  if (partner === null) return skip(unknownPartner(past.partnerEmail));
  const reported = await findReportedSale(tx, program.workspaceId, past.paymentRefs);
  if (reported !== null) return skip(reported);
  const policiesOf = await listPolicyCandidates(tx.db, [program.id]);
  // The commission keeps its amount from the other service. The policy's terms apply only to later renewals.
  const terms = choosePolicy(policiesOf(program.id), null, partner.id);
  if (terms === null) return skip('The program has no commission policy');
  const ensured = await ensurePastCustomer(tx, scope, past.customer);
  if (typeof ensured === 'string') return skip(ensured);
  const { customer } = ensured;
  const now = runtime.now();
  const { currency, commissionCents, earnedAt } = past;
  const subject = { programId: program.id, partnerId: partner.id, currency, at: now };
  if (!(await canCreditPartner(tx, subject, commissionCents)))
    return skip("The partner's balance would exceed the maximum");
  const sale = {
    program_id: program.id,
    customer_id: customer.id,
    partner_id: partner.id,
    processor_event_id: transactionId,
    click_id: customer.click_id,
    customer_key: customer.customer_key,
    amount_cents: past.saleCents,
    currency: past.saleCurrency,
    sale_type: past.subscriptionId === null ? ('payment' as const) : ('subscription' as const),
    payment_status: 'paid',
    is_recurring: 0 as const,
    subscription_id: past.subscriptionId,
    subscription_interval: null,
    product_id: null,
    line_items: null,
    additional_data: null,
    fingerprint: null,
    no_commission_reason: null,
    window_days: program.cookieWindowDays,
    tax_cents: null,
    shipping_cents: null,
    base_cents: past.saleCents,
    min_sale_cents: program.minSaleCents,
    is_test: 0 as const,
    sale_at: earnedAt,
    created_at: now,
  };
  const saleId = await insertPastSale(tx, scope, sale, past.paymentRefs);
  if (saleId === null) return skip(`The transaction id ${transactionId} or an id of the payment is in use`);
  await addTraceNote(tx, {
    programId: program.id,
    customerId: customer.id,
    saleId,
    reason: 'sale_imported',
    detail: `${scope.sourceTitle} commission ${past.id}, ${past.state}`,
    now,
  });
  const isApproved = past.state === 'approved' || past.state === 'paid';
  const needsApproval = past.state === 'pending' && past.dueAt === null;
  const commissionIds = await insertCommissions(tx, [
    {
      program_id: program.id,
      sale_id: saleId,
      partner_id: partner.id,
      customer_id: customer.id,
      policy_version_id: terms.versionId,
      first_commission_id: null,
      subscription_id: past.subscriptionId,
      parts: null,
      amount_cents: commissionCents,
      deducted_cents: 0,
      currency,
      status: isApproved ? 'approved' : 'pending',
      releasable_at: past.dueAt ?? earnedAt + program.holdDays * DAY_MS,
      needs_approval: needsApproval ? 1 : 0,
      approved_at: isApproved ? now : null,
      commission_at: earnedAt,
      created_at: now,
    },
  ]);
  const commissionId = commissionIds.get(saleId);
  if (commissionId === undefined) throw new Error(`The commission of sale ${saleId} was not stored`);
  await creditPartners(tx, [
    { subject: { ...subject, commissionId }, kind: 'commission', amountCents: commissionCents },
  ]);
  await countSale(tx, past, customer, partner.id);
  await applyPastState(tx, scope, past, { ...subject, commissionId }, saleId);
  return { outcome: 'imported', note: null, hasNewCustomer: ensured.isNew };
}

function skip(reason: string): PastRecordOutcome {
  return { outcome: 'skipped', reason };
}

/** Returns a message if the payment is already recorded, for example by Stripe's webhooks, or else null. */
async function findReportedSale(
  tx: Transaction,
  workspaceId: number,
  refs: readonly string[],
): Promise<string | null> {
  const [key] = await listSalesByReference(tx.db, workspaceId, refs);
  if (!key) return null;
  const sale = await findSale(tx.db, key.programId, key.saleId);
  return `The payment ${refs.join(', ')} is recorded already, as sale ${sale?.processor_event_id ?? key.saleId}. A sale has only one commission`;
}

/** @returns null when another program has the transaction id or an id of the payment */
async function insertPastSale(
  tx: Transaction,
  { program, runtime }: HistoryScope,
  sale: Parameters<typeof insertSales>[1][number]['sale'],
  refs: readonly string[],
): Promise<number | null> {
  try {
    const draft = { workspaceId: program.workspaceId, refs, sale };
    const [id] = await tx.savepoint(() => insertSales(tx, [draft], runtime.transactionIds));
    return id ?? null;
  } catch (error) {
    if (error instanceof UniqueConflict) return null;
    throw error;
  }
}

/** Updates the customer, the counters, and the daily totals in the same way as a reported sale. */
async function countSale(
  tx: Transaction,
  { saleCents, saleCurrency, commissionCents, currency, earnedAt: at }: PastCommission,
  customer: CustomerRow,
  partnerId: number,
): Promise<void> {
  const { program_id: programId, first_purchase_at: firstAt } = customer;
  // Rows of an import are not always in chronological order.
  const isFirst = firstAt === null || at < firstAt;
  const after = {
    ...customer,
    status: 'conversion' as const,
    first_purchase_at: isFirst ? at : firstAt,
  };
  await updateCustomers(tx, [{ before: customer, after }]);
  await addCounters(tx, [
    { programId, subject: 'partner', subjectId: partnerId, measure: 'conversions', value: 1, at },
  ]);
  const day = { programId, partnerId, at };
  const firstPurchase = { programId, partnerId: customer.partner_id, measure: 'first_purchases' as const };
  await addDailyTotals(tx, [
    { ...day, measure: 'sales', value: 1 },
    { ...day, measure: `revenue:${saleCurrency}`, value: saleCents },
    { ...day, measure: `commission:${currency}`, value: commissionCents },
    { ...firstPurchase, at, value: isFirst ? 1 : 0 },
    ...(isFirst && firstAt !== null ? [{ ...firstPurchase, at: firstAt, value: -1 }] : []),
  ]);
}
