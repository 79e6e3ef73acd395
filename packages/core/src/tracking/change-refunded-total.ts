import { type CommissionStatus, statusAfterRefund } from '../domain/commission-status.ts';
import { computeClampCents, computeDeductedCents } from '../domain/refund.ts';
import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { isTransient } from '../storage/database/engine/transient.ts';
import { type CommissionRow, updateCommission } from '../storage/money/commissions.ts';
import { debitPartner, returnDeduction } from '../storage/money/ledger.ts';
import { reducePayout } from '../storage/money/payouts.ts';
import { insertRefund, type RefundRow } from '../storage/money/refunds.ts';
import { enqueueNotices, type Notice } from '../storage/tracking/outbox.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { commissionEvent, refundEvent } from '../webhooks/event-payloads.ts';
import { loadPublisher, publishEvents } from '../webhooks/publish-events.ts';

type RefundFigures = Pick<RefundRow, 'source' | 'refund_id' | 'refund_amount_cents' | 'applied_cents'> &
  Partial<Pick<RefundRow, 'lost_cents'>>;

/** A change to the refunded total of a sale. */
export interface RefundedChange extends RefundFigures {
  readonly reason: string | null;
  /** The refunded total after the change. */
  readonly refundedCents: number;
  /** The status of the commission after the change. @default derived from the total */
  readonly status?: 'reversed' | 'refunded';
  /** Whether the deduction from an unpaid commission stops at a balance of zero. @default true */
  readonly isClamped?: boolean;
}

/** The time when the refund was made, and the time when it is recorded. */
export interface RefundTime {
  readonly refundAt: number;
  readonly now: number;
}

/**
 * Deducts a refund from a commission. If the refunded total has decreased, credits a part of the deduction back.
 * Updates the balances and the pending payout, and enqueues the notifications.
 * @param commission must be locked
 * @returns the status of the commission, and the deduction. A negative deduction was credited back
 */
export async function changeRefundedTotal(
  tx: Transaction,
  runtime: Pick<Runtime, 'log'>,
  sale: SaleRow,
  commission: CommissionRow,
  change: RefundedChange,
  { refundAt, now }: RefundTime,
): Promise<{ readonly deductionCents: number; readonly status: CommissionStatus }> {
  const { refundedCents, source, refund_id, refund_amount_cents, applied_cents, reason } = change;
  const targetCents = computeDeductedCents(commission, sale.amount_cents, refundedCents);
  const difference = targetCents - commission.deducted_cents;
  // After an adjustment, the amount that was already deducted may exceed the new total deduction. A refund
  // must never credit money, and a decrease of the refunded total must never deduct money.
  const deductionCents = applied_cents < 0 ? Math.min(0, difference) : Math.max(0, difference);
  const status = change.status ?? statusAfterRefund(commission, sale.amount_cents, refundedCents);
  const deducted_cents = commission.deducted_cents + deductionCents;
  await updateCommission(tx, commission, {
    status,
    deducted_cents,
    refund_reason: refundedCents === 0 ? null : applied_cents < 0 ? commission.refund_reason : reason,
  });
  const { program_id: programId, partner_id: partnerId, currency, id: commissionId } = commission;
  const refund = {
    program_id: programId,
    sale_id: sale.id,
    commission_id: commissionId,
    source,
    refund_id,
    refund_amount_cents,
    applied_cents,
    lost_cents: change.lost_cents ?? null,
    deduction_cents: deductionCents,
    status,
    reason,
    refund_at: refundAt,
    created_at: now,
  };
  const refundId = await insertRefund(tx, refund);
  const subject = { programId, partnerId, currency, commissionId, refundId, at: now };
  let wasPaid = commission.paid_at !== null;
  if (deductionCents < 0) await returnDeduction(tx, subject, -deductionCents);
  else {
    // A commission whose payout is in an open batch counts as paid, because the batch may already be paid.
    wasPaid = (await reducePayout(tx, commission, subject, deductionCents)) || wasPaid;
    await debitPartner(tx, subject, 'deduction', deductionCents, (before) =>
      computeClampCents(before, deductionCents, wasPaid || change.isClamped === false),
    );
  }
  if (applied_cents !== 0) {
    const payload = { commissionId, deductionCents: Math.abs(deductionCents), currency, reason };
    const notices = refundNoticesOf(applied_cents, status, partnerId, wasPaid, payload);
    await tryEnqueueNotices(tx, runtime, programId, refundId, notices, now);
  }
  if (applied_cents > 0) {
    const program = await loadPublisher(tx, programId);
    const events = [refundEvent({ ...refund, id: refundId }, sale, commission)];
    if (status === 'reversed' && commission.status !== 'reversed')
      events.push(commissionEvent('commission.reversed', { ...commission, status, deducted_cents }));
    await publishEvents(
      tx,
      events.map((event) => ({ program, event })),
      now,
    );
  }
  return { deductionCents, status };
}

function refundNoticesOf(
  appliedCents: number,
  status: CommissionStatus,
  partnerId: number,
  wasPaid: boolean,
  payload: Notice['payload'],
): Notice[] {
  if (appliedCents < 0) return [{ partnerId, kind: 'commission_restored', payload }];
  const kind = status === 'reversed' ? 'commission_reversed' : 'commission_refunded';
  const notices: Notice[] = [{ partnerId, kind, payload }];
  if (wasPaid) notices.push({ partnerId: null, kind: 'paid_commission_reversed', payload });
  return notices;
}

/** Enqueues the notices of a refund. A failure is only logged, so that the refund is applied either way. */
async function tryEnqueueNotices(
  tx: Transaction,
  runtime: Pick<Runtime, 'log'>,
  programId: number,
  refundId: number,
  notices: readonly Notice[],
  now: number,
): Promise<void> {
  try {
    await tx.savepoint(() => enqueueNotices(tx, programId, 'notify_refund', refundId, notices, now));
  } catch (error) {
    if (isTransient(error) || error instanceof Unavailable) throw error;
    const fields = { err: error, program_id: programId, refund_id: refundId };
    runtime.log.error(fields, 'the notifications of a refund could not be stored; the refund is applied');
  }
}
