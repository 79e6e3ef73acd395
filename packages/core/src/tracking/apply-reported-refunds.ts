import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockCommissionOfSale } from '../storage/money/commissions.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { changeRefundedTotal, type RefundTime } from './change-refunded-total.ts';
import { repairCommission } from './repair-commission.ts';
import { loadSaleRefunds, refundedTotal } from './sale-refunds.ts';

/** The outcome of a reported refund, for the processor event log. */
export interface ReportedRefundOutcome {
  readonly outcome: 'refunded' | 'refund_skipped' | 'refund_failed';
  readonly reason: string;
}

/**
 * Updates the commission of a sale so that it reflects all reported refunds. Each refund is applied only
 * once, so events may be repeated and may arrive in any order.
 * @param event the refund or dispute that caused the call. `refundId` is null if the call was caused by several
 * refunds, by refunds without known ids, or by a commission that was stored later
 */
export async function applyReportedRefunds(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  program: ProgramAccount,
  sale: SaleRow,
  event: { readonly refundId: string | null; readonly reason: string | null },
  time: RefundTime,
): Promise<ReportedRefundOutcome> {
  const commission =
    (await lockCommissionOfSale(tx, program.id, sale.id)) ??
    (await repairCommission(tx, runtime, program, sale));
  if (!commission) return { outcome: 'refund_skipped', reason: 'no_commission' };
  const { rows, reported, appliedCents, hasOtherCurrency } = await loadSaleRefunds(tx, sale);
  const refundedCents = refundedTotal(reported, sale);
  const applied_cents = refundedCents - appliedCents;
  if (commission.rejected_at !== null) {
    return { outcome: 'refund_skipped', reason: 'commission_was_rejected' };
  }
  if (applied_cents === 0) {
    return { outcome: 'refund_skipped', reason: hasOtherCurrency ? 'currency_differs' : 'already_applied' };
  }
  const { refundId, reason } = event;
  const isKnown = rows.some((row) => row.refund_id === refundId && row.applied_cents >= 0);
  const isWhole = refundedCents === sale.amount_cents && appliedCents === 0;
  const change = {
    source: 'processor' as const,
    refund_id: applied_cents > 0 && isKnown ? null : refundId,
    refund_amount_cents: isWhole ? null : applied_cents,
    applied_cents,
    reason,
    refundedCents,
  };
  const { status } = await changeRefundedTotal(tx, runtime, sale, commission, change, time);
  return { outcome: applied_cents < 0 ? 'refund_failed' : 'refunded', reason: status };
}
