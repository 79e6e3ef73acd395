import { replacesReport } from '../domain/dispute.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { UniqueConflict } from '../storage/database/retry-on-conflict.ts';
import { findProgram } from '../storage/programs/programs.ts';
import {
  insertDispute,
  lockDispute,
  type ProcessorDispute,
  updateDispute,
} from '../storage/stripe/processor-disputes.ts';
import {
  addProcessorReferences,
  connectPaymentIds,
  findAllPaymentIds,
  findSaleByPaymentIds,
} from '../storage/stripe/processor-refs.ts';
import { findSale, saleKeyOf } from '../storage/tracking/sales.ts';
import { mergeSales } from '../tracking/merge-sales.ts';
import { settleDispute } from '../tracking/settle-dispute.ts';
import { decideEventTime, FIRST_CHECK_MS } from './apply-payment-event.ts';
import { ignoredDecision, type ProcessorDecision } from './decision.ts';
import { findWorkspaceProgram } from './find-workspace-program.ts';
import type { EventContent } from './stripe-event.ts';

type ReportedDispute = Extract<EventContent, { kind: 'dispute' }>;

/**
 * Applies the latest state of a dispute to the commission of its sale. If no sale has an id of the payment
 * yet, the dispute is parked: it is stored, and applied as soon as a sale has one of the ids.
 * @param at the event's time in epoch milliseconds; null when the event has no time
 * @throws UniqueConflict when another process stored a conflicting row at the same time; the caller must retry
 */
export async function applyDisputeEvent(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  report: ReportedDispute,
  at: number | null,
): Promise<ProcessorDecision> {
  const now = runtime.now();
  const { refs } = await findAllPaymentIds(tx, workspaceId, report.refs, now);
  await mergeSales(tx, runtime, workspaceId, refs);
  const known = await lockDispute(tx, { workspace_id: workspaceId, dispute: report.dispute });
  const key = (known && saleKeyOf(known)) ?? (await findSaleByPaymentIds(tx.db, workspaceId, refs));
  const program = key && (await findProgram(tx.db, key.programId));
  if (key && !program) return ignoredDecision('program_not_found', key);
  const dispute = await saveDispute(tx, workspaceId, report, known, decideEventTime(at, now), now);
  const sale = key && (await findSale(tx.db, key.programId, key.saleId));
  if (!key || !program || !sale) {
    await connectPaymentIds(tx, workspaceId, report.refs, now);
    const { program_id: programId } = dispute;
    return { outcome: 'parked', reason: 'payment_unknown', ...(programId !== null && { programId }) };
  }
  await addProcessorReferences(tx, workspaceId, key, refs);
  if (dispute === known && dispute.state === dispute.applied_state) {
    return { outcome: 'dispute_skipped', reason: 'already_applied', ...key };
  }
  return { ...(await settleDispute(tx, runtime, program, sale, dispute)), ...key };
}

/** Stores the report if it replaces the stored report (see `replacesReport`), or if no report is stored. */
async function saveDispute(
  tx: Transaction,
  workspaceId: number,
  report: ReportedDispute,
  known: ProcessorDispute | null,
  reportedAt: number,
  now: number,
): Promise<ProcessorDispute> {
  const key = { workspace_id: workspaceId, dispute: report.dispute };
  const reported = {
    state: report.state,
    amount_cents: report.amountCents,
    currency: report.currency,
    reason: report.reason,
    reported_at: reportedAt,
  };
  if (known) {
    const isLater = replacesReport(report, { state: known.state, amountCents: known.amount_cents });
    return isLater ? await updateDispute(tx, key, reported) : known;
  }
  const programOrReason = await findWorkspaceProgram(tx, workspaceId, report.metadata);
  const dispute = await insertDispute(tx, {
    ...key,
    ...reported,
    charge: report.charge,
    program_id: typeof programOrReason === 'string' ? null : programOrReason.id,
    sale_id: null,
    applied_state: null,
    parked_at: now,
    check_at: now + FIRST_CHECK_MS,
  });
  if (!dispute) throw new UniqueConflict('Another process stored the dispute at the same time');
  return dispute;
}
