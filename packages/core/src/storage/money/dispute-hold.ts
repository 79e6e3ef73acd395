import { computeOpenCents } from '../../domain/refund.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { type CommissionRow, updateCommission } from './commissions.ts';
import { lockPayout, reducePayout } from './payouts.ts';

/**
 * Sets whether a commission is disputed. A disputed commission is removed from its pending payout. The payout is then
 * reduced by the amount that is left of the commission after deductions and adjustments, but not below zero. If the
 * payout is paid, or in a batch, the commission remains in the payout.
 * @param commission must be locked by the caller
 */
export async function setDisputed(
  tx: Transaction,
  commission: CommissionRow,
  disputed: boolean,
  at: number,
): Promise<void> {
  if (disputed === (commission.disputed === 1)) return;
  if (!disputed) return updateCommission(tx, commission, { disputed: 0 });
  if (commission.paid_at !== null) return updateCommission(tx, commission, { disputed: 1 });
  const { id: commissionId, program_id: programId, partner_id: partnerId, currency } = commission;
  const subject = { programId, partnerId, currency, commissionId, at };
  const payout = commission.payout_id === null ? null : await lockPayout(tx, programId, commission.payout_id);
  if (payout && payout.batch_id !== null) return updateCommission(tx, commission, { disputed: 1 });
  await reducePayout(tx, commission, subject, Math.max(0, computeOpenCents(commission)));
  await updateCommission(tx, commission, { disputed: 1, payout_id: null });
}
