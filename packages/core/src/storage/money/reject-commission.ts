import { computeClampCents, computeOpenCents } from '../../domain/refund.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { enqueueNotices, type Notice } from '../tracking/outbox.ts';
import { type CommissionRow, updateCommission } from './commissions.ts';
import { debitPartner } from './ledger.ts';

/**
 * Rejects a commission permanently, deducts it from the partner's balances, and enqueues a notification to
 * the partner.
 * @param commission must be locked, must not be in a payout, and must have a status that can be rejected
 * @param isClamped whether the deduction stops at a balance of zero
 * @returns the changed columns
 */
export async function rejectLockedCommission(
  tx: Transaction,
  commission: CommissionRow,
  at: number,
  isClamped = true,
) {
  const openCents = computeOpenCents(commission);
  const change = {
    status: 'rejected' as const,
    rejected_at: at,
    deducted_cents: commission.amount_cents,
  };
  await updateCommission(tx, commission, change);
  const { id, program_id: programId, partner_id: partnerId, currency } = commission;
  const subject = { programId, partnerId, currency, commissionId: id, at };
  await debitPartner(tx, subject, 'deduction', openCents, (before) =>
    isClamped ? computeClampCents(before, openCents, false) : 0,
  );
  const payload = { commissionId: id, amountCents: openCents, currency };
  const notice: Notice = { partnerId, kind: 'commission_rejected', payload };
  await enqueueNotices(tx, programId, 'notify_rejection', id, [notice], at);
  return change;
}
