import { randomUUID } from 'node:crypto';
import { processorSaleRequest, withoutAbsent } from '@affkit/protocol';
import { isoTime } from '../domain/calendar.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isSubscription } from '../domain/processor-ref.ts';
import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { hasProductPolicies } from '../storage/money/policies.ts';
import { findProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { listPendingEvents } from '../storage/stripe/pending-payments.ts';
import type { ProcessorConnectionRow } from '../storage/stripe/processor-connections.ts';
import {
  addProcessorReferences,
  connectPaymentIds,
  findAllPaymentIds,
  findSaleByPaymentIds,
} from '../storage/stripe/processor-refs.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import { fillSaleDetails, findSale, type SaleKey } from '../storage/tracking/sales.ts';
import { linkRenewal, linkSubscription } from '../tracking/late-renewals.ts';
import { mergeSales } from '../tracking/merge-sales.ts';
import { applyParkedEvents } from '../tracking/payment-references.ts';
import { recordSale } from '../tracking/record-sales.ts';
import type { ReportedSale, SaleOutcome } from '../tracking/sale.ts';
import { saveTestSale } from '../tracking/track-test-sale.ts';
import { ignoredDecision, type ProcessorDecision } from './decision.ts';
import { findWorkspaceProgram } from './find-workspace-program.ts';
import { isAttributed, type Payment, withMetadata } from './stripe-event.ts';

/** The reason for parking a payment: Affkit waits for an event with more details. */
export const DETAILS_PENDING = 'details_pending';

/**
 * The delay before the first check of a parked refund or dispute. If another process was storing the payment's ids when
 * the refund or dispute was parked, this check finds the ids.
 */
export const FIRST_CHECK_MS = 60_000;

/** The rejections of a sale whose transaction id is already in use. */
const TAKEN_CODES: ReadonlySet<string> = new Set(['duplicate_transaction', 'transaction_id_taken']);

/**
 * Records a payment only once. If a sale already has one of the payment's ids, the sale gets the other ids
 * too. Affkit stores which ids belong together even if no sale is recorded, so that later events of the
 * payment can be matched.
 * @param at the event's time in epoch milliseconds; null when the event has no time
 * @param record `wait` parks a payment if its commission depends on details that only another event of the
 * payment may contain. Therefore, if all events contain the metadata, their order does not affect the
 * commission. `now` never parks a payment
 * @throws UniqueConflict when another process stored a conflicting row at the same time; the caller must retry
 */
export async function applyPaymentEvent(
  tx: Transaction,
  runtime: Runtime,
  { id: connectionId, workspace_id: workspaceId }: Pick<ProcessorConnectionRow, 'id' | 'workspace_id'>,
  payment: Payment,
  at: number | null,
  record: 'wait' | 'now',
): Promise<ProcessorDecision> {
  const duplicate = await connectPaymentToSale(tx, runtime, workspaceId, payment.refs);
  if (duplicate) {
    await fillDetails(tx, duplicate, payment);
    if (payment.subscriptionId !== null)
      await fillSubscription(tx, runtime, duplicate, payment.subscriptionId, payment.isRenewal);
    return (await notifyOtherProgram(tx, runtime, workspaceId, payment, duplicate)) ?? duplicate;
  }
  const attributed = await attributePayment(tx, workspaceId, payment, runtime.now());
  const described = await describePayment(tx, workspaceId, attributed);
  if ('outcome' in described) return described;
  const { program, sale } = described;
  const subject = { programId: program.id, ...namedCustomer(sale) };
  if (record === 'wait' && (await lacksDetails(tx, program, attributed, sale))) {
    return { outcome: 'parked', reason: DETAILS_PENDING, ...subject };
  }
  const occurredAt = decideEventTime(at, runtime.now());
  const input = {
    ...sale,
    occurred_at: isoTime(occurredAt),
    processor_refs: payment.refs.filter((ref) => ref !== payment.transactionId),
  };
  let recorded = await recordSale(tx, runtime, program, input);
  if (isRejection(recorded) && TAKEN_CODES.has(recorded.code)) {
    // Another process may have recorded the payment since the first call of `connectPaymentToSale`.
    const concurrent = await connectPaymentToSale(tx, runtime, workspaceId, payment.refs);
    if (concurrent) return concurrent;
    recorded = await recordWithSuffix(tx, runtime, connectionId, program, input);
  }
  if (!isRejection(recorded)) {
    const reason = recorded.kind === 'recorded' ? recorded.reason : recorded.kind;
    return { outcome: 'sale_recorded', reason, saleId: recorded.saleId, ...subject };
  }
  // A webhook has no tracking token. Here, `token_invalid` means that the program was deleted in the
  // meantime.
  return ignoredDecision(recorded.code === 'token_invalid' ? 'program_not_found' : recorded.code, subject);
}

/**
 * Records a payment in the processor's test mode as a test sale. A test sale earns no commission, and changes no
 * totals.
 * @param at the event's time in epoch milliseconds; null when the event has no time
 */
export async function recordTestPayment(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  payment: Payment,
  at: number | null,
): Promise<ProcessorDecision> {
  const described = await describePayment(tx, workspaceId, payment);
  if ('outcome' in described) return described;
  const { program, sale } = described;
  const now = runtime.now();
  const saleId = await saveTestSale(tx, program, sale, { saleAt: decideEventTime(at, now), now });
  return { outcome: saleId === null ? 'duplicate' : 'test_recorded', reason: null, programId: program.id };
}

/**
 * If the payment's own metadata lacks the program or the customer, takes the metadata of a waiting event of the same
 * payment. An event without metadata can therefore complete a waiting payment.
 */
async function attributePayment(
  tx: Transaction,
  workspaceId: number,
  payment: Payment,
  now: number,
): Promise<Payment> {
  if (isAttributed(payment.metadata)) return payment;
  const { refs } = await findAllPaymentIds(tx, workspaceId, payment.refs, now);
  const waiting = (await listPendingEvents(tx.db, workspaceId, refs))
    .map((pending) => (JSON.parse(pending.payment) as Payment).metadata)
    .find(isAttributed);
  return waiting ? withMetadata(payment, waiting) : payment;
}

/** @returns the program and the sale in the payment's metadata, or the reason to ignore the payment */
async function describePayment(
  tx: Transaction,
  workspaceId: number,
  payment: Payment,
): Promise<{ readonly program: ProgramAccount; readonly sale: ReportedSale } | ProcessorDecision> {
  if (!isAttributed(payment.metadata)) return ignoredDecision('metadata_missing');
  const programOrReason = await findWorkspaceProgram(tx, workspaceId, payment.metadata);
  if (typeof programOrReason === 'string') return ignoredDecision(programOrReason);
  const program = programOrReason;
  const sale = saleOfPayment(payment);
  if (sale.success) return { program, sale: sale.data };
  const [field = 'event'] = sale.error.issues[0]?.path ?? [];
  return ignoredDecision(`invalid_${String(field)}`, { programId: program.id });
}

/**
 * Records a payment whose id is already a transaction id in another workspace. The other workspace must not
 * block the payment, so the connection's id is appended to the transaction id of the sale. The payment's own
 * ids become references of the sale, because references need to be unique only within a workspace.
 */
async function recordWithSuffix(
  tx: Transaction,
  runtime: Runtime,
  connectionId: number,
  program: ProgramAccount,
  sale: ReportedSale & { readonly processor_refs: readonly string[] },
): Promise<SaleOutcome> {
  const taken = sale.transaction_id;
  const processor_refs = [taken, ...sale.processor_refs];
  const record = (transaction_id: string) =>
    recordSale(tx, runtime, program, { ...sale, transaction_id, processor_refs });
  const suffixed = `${taken}@${connectionId}`;
  let recorded = await record(suffixed);
  // Connection ids are easy to guess, so another workspace may have used the id with the suffix too.
  if (isRejection(recorded) && TAKEN_CODES.has(recorded.code))
    recorded = await record(`${suffixed}.${randomUUID()}`);
  if (isRejection(recorded)) return recorded;
  const { saleId } = recorded;
  const row = await findSale(tx.db, program.id, saleId);
  await addTraceNote(tx, {
    programId: program.id,
    customerId: row?.customer_id ?? null,
    saleId,
    reason: 'transaction_id_taken_elsewhere',
    detail: taken,
    now: runtime.now(),
  });
  return recorded;
}

/**
 * If the payment was recorded for another program of the workspace, stores a notification for the advertiser. The
 * notification belongs to the program that the payment's metadata names.
 * @returns null when no notification is needed
 */
async function notifyOtherProgram(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  payment: Payment,
  known: ProcessorDecision,
): Promise<ProcessorDecision | null> {
  const programOrReason = await findWorkspaceProgram(tx, workspaceId, payment.metadata);
  if (typeof programOrReason === 'string') return null;
  const program = programOrReason;
  if (known.programId === undefined || program.id === known.programId) return null;
  const sale = saleOfPayment(payment);
  await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: program.id,
    partner_id: null,
    kind: 'recorded_by_other_program',
    dedupe_key: `recorded_by_other_program:${program.id}:${known.programId}:${known.saleId}`,
    payload: JSON.stringify({
      transactionId: payment.transactionId,
      recordedByProgramId: known.programId,
      recordedSaleId: known.saleId,
    }),
    created_at: runtime.now(),
  });
  return ignoredDecision('recorded_by_other_program', {
    programId: program.id,
    ...(sale.success && namedCustomer(sale.data)),
  });
}

/** Whether the commission depends on details that only another event of the payment contains. */
async function lacksDetails(
  tx: Transaction,
  program: ProgramAccount,
  payment: Payment,
  sale: ReportedSale,
): Promise<boolean> {
  if (!payment.isSummary) return false;
  const isTaxKnown = payment.taxCents !== null || payment.shippingCents !== null;
  if (program.commissionBase === 'net' && !isTaxKnown) return true;
  const isProductKnown = sale.product_id !== undefined || payment.lines.length > 0;
  return !isProductKnown && (await hasProductPolicies(tx.db, program.id));
}

/**
 * Adds the details of a payment to its recorded sale. Does nothing if tax, shipping, or products can change
 * commissions in the program. The commission was computed without these details, so the trace must not show them.
 */
async function fillDetails(
  tx: Transaction,
  { programId, saleId }: ProcessorDecision,
  payment: Payment,
): Promise<void> {
  if (programId === undefined || saleId === undefined) return;
  const program = await findProgram(tx.db, programId);
  const read = saleOfPayment(payment);
  if (!program || !read.success) return;
  if (program.commissionBase === 'net' || (await hasProductPolicies(tx.db, programId))) return;
  const { product_id = null, subscription_interval = null, line_items } = read.data;
  await fillSaleDetails(
    tx,
    { programId, saleId },
    {
      product_id,
      subscription_interval,
      line_items: line_items === undefined ? null : JSON.stringify(line_items),
      tax_cents: payment.taxCents,
      shipping_cents: payment.shippingCents,
    },
  );
}

/**
 * Adds the subscription of a payment to its recorded sale. The sale may then earn a commission as a renewal.
 * @param isRenewal also marks the sale as a renewal. A request may have reported it without this
 */
async function fillSubscription(
  tx: Transaction,
  runtime: Runtime,
  { programId, saleId }: Partial<SaleKey>,
  subscriptionId: string,
  isRenewal = false,
): Promise<void> {
  if (programId === undefined || saleId === undefined) return;
  const program = await findProgram(tx.db, programId);
  const link = isRenewal ? linkRenewal : linkSubscription;
  if (program) await link(tx, runtime, program, { programId, saleId }, subscriptionId);
}

/**
 * Returns the product in the metadata, or else the only product of the lines. Returns null when the lines
 * have several products.
 */
function productOfPayment({ metadata, lines }: Payment): string | null {
  if (metadata.productId !== null) return metadata.productId;
  const paidLines = lines.filter((line) => line.amount_cents > 0);
  const [first, ...others] = new Set(
    (paidLines.length > 0 ? paidLines : lines).map((line) => line.product_id),
  );
  return others.length === 0 ? (first ?? null) : null;
}

function saleOfPayment(payment: Payment) {
  const { clickId, customerKey } = payment.metadata;
  return processorSaleRequest.safeParse(
    withoutAbsent({
      transaction_id: payment.transactionId,
      amount_cents: payment.amountCents,
      // The schema would replace a missing currency by USD. With `false`, the currency is rejected.
      currency: payment.currency ?? false,
      click_id: clickId,
      customer_key: customerKey,
      sale_type: payment.subscriptionId === null ? 'payment' : 'subscription',
      is_recurring: payment.isRenewal,
      subscription_id: payment.subscriptionId,
      subscription_interval: payment.interval,
      product_id: productOfPayment(payment),
      line_items: payment.lines.length === 0 ? null : { data: payment.lines },
      tax_cents: payment.taxCents,
      shipping_cents: payment.shippingCents,
    }),
  );
}

function namedCustomer({
  click_id,
  customer_key,
}: ReportedSale): Pick<ProcessorDecision, 'clickId' | 'customerKey'> {
  return {
    ...(click_id !== undefined && { clickId: click_id }),
    ...(customer_key !== undefined && { customerKey: customer_key }),
  };
}

/**
 * Stores that ids belong to the same payment. If a sale has one of the ids, the sale gets the other ids too.
 * If several sales have one of the ids, these sales are merged.
 * @returns null when no sale has one of the ids yet
 */
export async function connectPaymentToSale(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  refs: readonly string[],
): Promise<ProcessorDecision | null> {
  const now = runtime.now();
  const connected = await findAllPaymentIds(tx, workspaceId, refs, now);
  const sale = await findSaleByPaymentIds(tx.db, workspaceId, connected.refs);
  if (!sale) {
    await connectPaymentIds(tx, workspaceId, refs, now);
    return null;
  }
  await addProcessorReferences(tx, workspaceId, sale, connected.refs);
  const kept = (await mergeSales(tx, runtime, workspaceId, connected.refs)) ?? sale;
  await applyParkedEvents(tx, runtime, workspaceId, kept, connected.refs);
  for (const subscriptionId of connected.refs.filter(isSubscription)) {
    await fillSubscription(tx, runtime, kept, subscriptionId);
  }
  return { outcome: 'duplicate', reason: null, ...kept };
}

/** @returns the event's time, or `now` when it is missing or outside the range that the API accepts */
export function decideEventTime(at: number | null, now: number): number {
  if (at === null) return now;
  const decided = decideOccurredAt({ occurred_at: isoTime(at) }, now);
  return isRejection(decided) ? now : decided;
}
