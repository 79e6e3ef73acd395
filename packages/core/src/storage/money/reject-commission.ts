import { computeClamp, computeOpenCents } from '../../domain/refund.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { enqueueNotices, type Notice } from '../tracking/outbox.ts';
import { type CommissionRow, updateCommission } from './commissions.ts';
import { debitPartner } from './ledger.ts';

/**
 * Refuses a commission for good, takes it back from the balances that it was credited to, and has its partner told.
 * @param commission locked, in no payout, and of a status that a rejection may follow
 * @returns what changed of it
 */
export async function rejectLocked(tx: Transaction, commission: CommissionRow, at: number) {
  const openCents = computeOpenCents(commission);
  const change = {
    status: 'rejected' as const,
    rejected_at: at,
    deducted_cents: commission.amount_cents,
  };
  await updateCommission(tx, commission, change);
  const { id, program_id: programId, partner_id: partnerId, currency } = commission;
  const subject = { programId, partnerId, currency, commissionId: id, at };
  await debitPartner(tx, subject, 'deduction', openCents, (before) => computeClamp(before, openCents, false));
  const payload = { commissionId: id, amountCents: openCents, currency };
  const notice: Notice = { partnerId, kind: 'commission_rejected', payload };
  await enqueueNotices(tx, programId, 'notify_rejection', id, [notice], at);
  return change;
}
