import { computeClampCents } from '../../domain/refund.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { enqueueNotices, type Notice } from '../tracking/outbox.ts';
import { type AdjustmentRow, insertAdjustment } from './adjustments.ts';
import { type CommissionRow, updateCommission } from './commissions.ts';
import { creditPartners, debitPartner } from './ledger.ts';
import { reducePayout } from './payouts.ts';

interface NewAdjustment {
  /** Must not be 0. A negative amount must not exceed what is left of the commission. */
  readonly amountCents: number;
  readonly reason: string;
  readonly idempotencyKey: string | null;
  /** Whether the deduction from an unpaid commission stops at a balance of zero. @default true */
  readonly isClamped?: boolean;
}

/**
 * Adds a positive or negative amount to a commission and to the partner's balances, and enqueues a notification to the
 * partner. A negative amount reduces a pending payout that contains the commission.
 * @param commission must be locked
 */
export async function bookAdjustment(
  tx: Transaction,
  commission: CommissionRow,
  { amountCents, reason, idempotencyKey, isClamped = true }: NewAdjustment,
  at: number,
): Promise<AdjustmentRow> {
  const { id: commissionId, program_id: programId, partner_id: partnerId, currency } = commission;
  await updateCommission(tx, commission, { adjusted_cents: commission.adjusted_cents + amountCents });
  const adjustment = await insertAdjustment(tx, {
    program_id: programId,
    commission_id: commissionId,
    amount_cents: amountCents,
    reason,
    idempotency_key: idempotencyKey,
    created_at: at,
  });
  const subject = { programId, partnerId, currency, commissionId, adjustmentId: adjustment.id, at };
  if (amountCents > 0) {
    await creditPartners(tx, [{ subject, kind: 'adjustment', amountCents }]);
  } else {
    const wasSent = await reducePayout(tx, commission, subject, -amountCents);
    const wasPaid = wasSent || commission.paid_at !== null;
    await debitPartner(tx, subject, 'adjustment', -amountCents, (before) =>
      computeClampCents(before, -amountCents, wasPaid || !isClamped),
    );
  }
  const payload = { commissionId, amountCents, currency, reason };
  const notice: Notice = { partnerId, kind: 'commission_adjusted', payload };
  await enqueueNotices(tx, programId, 'notify_adjustment', adjustment.id, [notice], at);
  return adjustment;
}
