import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { UniqueConflict } from '../storage/database/retry-on-conflict.ts';
import { findProgram } from '../storage/programs/programs.ts';
import {
  insertCharge,
  lockCharge,
  type ProcessorCharge,
  updateCharge,
} from '../storage/stripe/processor-charges.ts';
import {
  addProcessorReferences,
  connectPaymentIds,
  findAllPaymentIds,
  findSaleByPaymentIds,
} from '../storage/stripe/processor-refs.ts';
import { findProcessorRefund, saveProcessorRefunds } from '../storage/stripe/processor-refunds.ts';
import { findSale, saleKeyOf } from '../storage/tracking/sales.ts';
import { applyChargeRefunds } from '../tracking/apply-charge-refunds.ts';
import { mergeSales } from '../tracking/merge-sales.ts';
import { decideEventTime, FIRST_CHECK_MS } from './apply-payment-event.ts';
import { ignoredDecision, type ProcessorDecision } from './decision.ts';
import { findWorkspaceProgram } from './find-workspace-program.ts';
import type { EventContent } from './stripe-event.ts';

type RefundEventContent = Extract<EventContent, { kind: 'refund' }>;

/**
 * Stores the refunds in an event and applies them to the commission of the sale. If no sale has an id of the
 * payment yet, the refunds are parked: they are applied as soon as a sale has one of the ids.
 * @param at the event's time in epoch milliseconds; null when the event has no time
 * @throws UniqueConflict when another process stored a conflicting row at the same time; the caller must retry
 */
export async function applyRefundEvent(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  event: RefundEventContent,
  at: number | null,
): Promise<ProcessorDecision> {
  const now = runtime.now();
  const refund = { ...event, refunds: await withoutKnown(tx, workspaceId, event) };
  const connected = await findAllPaymentIds(tx, workspaceId, refund.refs, now);
  await mergeSales(tx, runtime, workspaceId, connected.refs);
  const knownCharge = await lockCharge(tx, workspaceId, refund.charge);
  const key =
    (knownCharge && saleKeyOf(knownCharge)) ??
    (await findSaleByPaymentIds(tx.db, workspaceId, connected.refs));
  const program = key && (await findProgram(tx.db, key.programId));
  if (key && !program) return ignoredDecision('program_not_found', key);
  if (!key && !knownCharge && refund.refundedCents === 0 && refund.refunds.length === 0) {
    // Either all refunds are stored already, or no money was refunded, for example because an uncaptured
    // authorization was released.
    await connectPaymentIds(tx, workspaceId, refund.refs, now);
    return { outcome: 'tied', reason: null };
  }
  const refundAt = decideEventTime(at, now);
  const charge = await saveCharge(tx, workspaceId, refund, knownCharge, refundAt, now);
  const rows = refund.refunds.map(({ id, amountCents, currency, isFailed }) => ({
    workspace_id: workspaceId,
    refund: id,
    charge: refund.charge,
    currency,
    amount_cents: amountCents,
    is_failed: isFailed ? (1 as const) : (0 as const),
  }));
  await saveProcessorRefunds(tx, rows, refund.hasDetails);
  const sale = key && (await findSale(tx.db, key.programId, key.saleId));
  if (!key || !program || !sale) {
    await connectPaymentIds(tx, workspaceId, refund.refs, now);
    return { outcome: 'parked', reason: 'payment_unknown', ...namedProgram(charge) };
  }
  await addProcessorReferences(tx, workspaceId, key, connected.refs);
  const [single, ...others] = refund.refunds;
  const refundId = single && others.length === 0 ? single.id : null;
  const { reason } = refund;
  const outcome = await applyChargeRefunds(tx, runtime, program, sale, charge, {
    refundId,
    reason,
    refundAt,
  });
  return { ...outcome, ...key };
}

/**
 * Returns the refunds of the event. If the event contains only their ids, the refunds that are already stored
 * are left out.
 */
async function withoutKnown(
  tx: Transaction,
  workspaceId: number,
  event: RefundEventContent,
): Promise<RefundEventContent['refunds']> {
  if (event.hasDetails) return event.refunds;
  const unknown: RefundEventContent['refunds'][number][] = [];
  for (const refund of event.refunds) {
    if (!(await findProcessorRefund(tx.db, workspaceId, refund.id))) unknown.push(refund);
  }
  return unknown;
}

/** Stores the refunded total of the charge. Events may arrive in any order, so the largest total is kept. */
async function saveCharge(
  tx: Transaction,
  workspaceId: number,
  refund: RefundEventContent,
  known: ProcessorCharge | null,
  refundedAt: number,
  now: number,
): Promise<ProcessorCharge> {
  const refunded = {
    refunded_cents: refund.refundedCents,
    is_whole: refund.isWhole ? (1 as const) : (0 as const),
    reason: refund.reason,
    refunded_at: refundedAt,
  };
  if (known) return refund.refundedCents > known.refunded_cents ? updateCharge(tx, known, refunded) : known;
  const programOrReason = await findWorkspaceProgram(tx, workspaceId, refund.metadata);
  const charge = await insertCharge(tx, {
    workspace_id: workspaceId,
    charge: refund.charge,
    program_id: typeof programOrReason === 'string' ? null : programOrReason.id,
    sale_id: null,
    currency: refund.currency,
    ...refunded,
    parked_at: now,
    check_at: now + FIRST_CHECK_MS,
  });
  if (!charge) throw new UniqueConflict('Another process stored a refund of the charge at the same time');
  return charge;
}

function namedProgram({ program_id }: ProcessorCharge): { programId?: number } {
  return program_id === null ? {} : { programId: program_id };
}
