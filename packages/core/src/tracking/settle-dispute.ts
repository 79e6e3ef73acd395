import { isoTime } from '../domain/calendar.ts';
import { computeOpenCents } from '../domain/refund.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type CommissionRow, lockCommissionOfSale } from '../storage/money/commissions.ts';
import { setDisputed } from '../storage/money/dispute-hold.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import {
  hasOpenDispute,
  type ProcessorDispute,
  updateDispute,
} from '../storage/stripe/processor-disputes.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { applyReportedRefunds } from './apply-reported-refunds.ts';
import { repairCommission } from './repair-commission.ts';

/** The effect of a dispute, for the processor event log. */
export interface DisputeOutcome {
  readonly outcome: 'dispute_held' | 'dispute_released' | 'dispute_lost' | 'dispute_skipped';
  readonly reason: string | null;
}

/**
 * Applies the state of a dispute to the commission of its sale. Each state is applied only once. An open
 * dispute puts the commission on hold. A lost dispute is deducted like a refund. Any other state ends the hold
 * if the sale has no other open dispute.
 * @param dispute must be locked by the caller
 */
export async function settleDispute(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  program: ProgramAccount,
  sale: SaleRow,
  dispute: ProcessorDispute,
): Promise<DisputeOutcome> {
  const now = runtime.now();
  const key = { program_id: program.id, sale_id: sale.id };
  await updateDispute(tx, dispute, { ...key, applied_state: dispute.state, check_at: null });
  const commission =
    (await lockCommissionOfSale(tx, program.id, sale.id)) ??
    (await repairCommission(tx, runtime, program, sale));
  if (!commission) return skipDispute('no_commission');
  if (commission.rejected_at !== null) return skipDispute('commission_was_rejected');
  const isHeld = await hasOpenDispute(tx.db, { programId: program.id, saleId: sale.id });
  await setDisputed(tx, commission, isHeld, now);
  const subject = { runtime, program, sale, dispute, commission, now };
  const before = dispute.applied_state;
  if (dispute.state === 'lost') return await loseDispute(tx, subject);
  if (dispute.state === 'open') {
    if (before !== 'open') await recordDisputeChange(tx, subject, 'commission_disputed');
    return { outcome: 'dispute_held', reason: null };
  }
  if (before === 'lost') await applyDisputeAsRefund(tx, subject);
  if (isHeld) return { outcome: 'dispute_released', reason: 'other_dispute_open' };
  if (before === 'open' || before === 'lost') await recordDisputeChange(tx, subject, 'commission_released');
  return { outcome: 'dispute_released', reason: null };
}

interface DisputeSubject {
  readonly runtime: Pick<Runtime, 'log' | 'now'>;
  readonly program: ProgramAccount;
  readonly sale: SaleRow;
  readonly dispute: ProcessorDispute;
  /** The commission before the dispute is applied. */
  readonly commission: CommissionRow;
  readonly now: number;
}

async function loseDispute(tx: Transaction, subject: DisputeSubject): Promise<DisputeOutcome> {
  const { sale, dispute } = subject;
  if (dispute.currency !== sale.currency) {
    await notifySkipped(tx, subject);
    return skipDispute('currency_differs');
  }
  if (dispute.applied_state !== 'lost') await addDisputeNote(tx, subject, 'dispute_lost');
  const { outcome, reason } = await applyDisputeAsRefund(tx, subject);
  return outcome === 'refunded' ? { outcome: 'dispute_lost', reason } : skipDispute('already_applied');
}

/**
 * Applies a lost dispute as a refund that has the dispute's id. If the dispute was lost before but is no longer
 * lost, the deduction is credited back.
 */
function applyDisputeAsRefund(tx: Transaction, { runtime, program, sale, dispute, now }: DisputeSubject) {
  const { dispute: refundId, reason, reported_at: refundAt } = dispute;
  return applyReportedRefunds(tx, runtime, program, sale, { refundId, reason }, { refundAt, now });
}

/**
 * Notifies the advertiser that a lost dispute was not deducted. The advertiser can deduct the amount with an
 * adjustment.
 */
async function notifySkipped(
  tx: Transaction,
  { program, sale, dispute, now }: DisputeSubject,
): Promise<void> {
  await insertNotification(tx, {
    workspace_id: dispute.workspace_id,
    program_id: program.id,
    partner_id: null,
    kind: 'lost_dispute_skipped',
    dedupe_key: `lost_dispute_skipped:${dispute.workspace_id}:${dispute.dispute}`,
    payload: JSON.stringify({
      saleId: sale.id,
      transactionId: sale.processor_event_id,
      dispute: dispute.dispute,
      disputeAmountCents: dispute.amount_cents,
      disputeCurrency: dispute.currency,
    }),
    created_at: now,
  });
}

/** Adds the change to the trace, and notifies the partner and the advertiser. */
async function recordDisputeChange(
  tx: Transaction,
  subject: DisputeSubject,
  kind: 'commission_disputed' | 'commission_released',
): Promise<void> {
  await addDisputeNote(tx, subject, kind);
  const { program, sale, dispute, commission, now } = subject;
  const payload = {
    commissionId: commission.id,
    amountCents: computeOpenCents(commission),
    currency: commission.currency,
    reason: dispute.reason,
  };
  const notification = { workspace_id: dispute.workspace_id, program_id: program.id, kind, created_at: now };
  const dedupeKey = `${kind}:${dispute.workspace_id}:${dispute.dispute}`;
  await insertNotification(tx, {
    ...notification,
    partner_id: commission.partner_id,
    dedupe_key: `${dedupeKey}:partner`,
    payload: JSON.stringify(payload),
  });
  await insertNotification(tx, {
    ...notification,
    partner_id: null,
    dedupe_key: `${dedupeKey}:advertiser`,
    payload: JSON.stringify({
      ...payload,
      transactionId: sale.processor_event_id,
      dispute: dispute.dispute,
      disputeAmountCents: dispute.amount_cents,
      disputeCurrency: dispute.currency,
      wasPaid: commission.paid_at !== null,
      disputedAt: isoTime(dispute.reported_at),
    }),
  });
}

async function addDisputeNote(
  tx: Transaction,
  { program, sale, dispute, now }: DisputeSubject,
  reason: 'commission_disputed' | 'commission_released' | 'dispute_lost',
): Promise<void> {
  await addTraceNote(tx, {
    programId: program.id,
    customerId: sale.customer_id,
    saleId: sale.id,
    reason,
    detail: dispute.dispute,
    now,
  });
}

function skipDispute(reason: string): DisputeOutcome {
  return { outcome: 'dispute_skipped', reason };
}
