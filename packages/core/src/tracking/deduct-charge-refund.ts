import { computeDeduction, computeNewRefund, computeOpenCents } from '../domain/refund.ts';
import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockCommissionOfSale } from '../storage/money/commissions.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import {
  type ProcessorCharge,
  sumUnmatchedRefunds,
  updateCharge,
} from '../storage/stripe/processor-charges.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { refundSale } from './track-refund.ts';

/** The outcome of a charge's refunds, as the processor event log records it. */
export interface ChargeRefundOutcome {
  readonly outcome: 'refunded' | 'refund_skipped';
  readonly reason: string;
}

/**
 * Deducts the new part of a charge's refunds from the commission of its sale, once. Only one refund reduces a
 * commission; for a second one, the advertiser is notified of the amount that was not deducted.
 * @param charge locked by the caller
 */
export async function deductChargeRefund(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  program: ProgramAccount,
  sale: SaleRow,
  charge: ProcessorCharge,
): Promise<ChargeRefundOutcome> {
  const now = runtime.now();
  const key = { programId: program.id, saleId: sale.id };
  const otherCents = Math.max(0, await sumUnmatchedRefunds(tx.db, key, sale.amount_cents, charge.charge));
  const fresh = computeNewRefund(
    { refundedCents: charge.refunded_cents, isWhole: charge.is_whole === 1, currency: charge.currency },
    Math.max(charge.settled_cents, otherCents),
    { amountCents: sale.amount_cents, currency: sale.currency },
  );
  const settled = {
    program_id: program.id,
    sale_id: sale.id,
    settled_cents: Math.max(charge.settled_cents, charge.refunded_cents),
    matched_cents: Math.max(charge.matched_cents, Math.min(charge.refunded_cents, otherCents)),
    check_at: null,
  };
  if (fresh.kind === 'none') {
    await updateCharge(tx, charge, settled);
    return { outcome: 'refund_skipped', reason: 'already_applied' };
  }
  if (fresh.kind === 'incomparable') {
    await updateCharge(tx, charge, settled);
    await notifySkipped(tx, program, sale, charge, fresh.newCents, null, now);
    return { outcome: 'refund_skipped', reason: 'currency_differs' };
  }
  const refund = { amountCents: fresh.amountCents, reason: charge.reason };
  const outcome = await refundSale(tx, runtime, program, sale, refund, { refundAt: charge.refunded_at, now });
  if (isRejection(outcome))
    throw new Error(`The refund of charge ${charge.charge} was rejected: ${outcome.message}`);
  if (outcome.kind === 'deducted') {
    const deducted = fresh.amountCents === 0 ? sale.amount_cents : fresh.amountCents;
    await updateCharge(tx, charge, { ...settled, deducted_cents: charge.deducted_cents + deducted });
    return { outcome: 'refunded', reason: outcome.status };
  }
  await updateCharge(tx, charge, settled);
  if (outcome.kind === 'no_commission') return { outcome: 'refund_skipped', reason: 'no_commission' };
  await notifySecondRefund(tx, program, sale, charge, fresh, now);
  return { outcome: 'refund_skipped', reason: outcome.reason.replaceAll(' ', '_') };
}

/** Sends no notification when nothing is left to deduct. */
async function notifySecondRefund(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  charge: ProcessorCharge,
  fresh: { readonly amountCents: number; readonly newCents: number },
  now: number,
): Promise<void> {
  const commission = await lockCommissionOfSale(tx, program.id, sale.id);
  if (!commission || commission.rejected_at !== null) return;
  const deduction = computeDeduction(commission, sale.amount_cents, fresh.amountCents);
  if (isRejection(deduction)) return;
  const openCents = Math.max(0, computeOpenCents(commission));
  const skippedCents = Math.min(deduction.deductionCents, openCents);
  if (skippedCents === 0) return;
  const skipped = {
    commissionId: commission.id,
    deductionCents: skippedCents,
    currency: commission.currency,
  };
  await notifySkipped(tx, program, sale, charge, fresh.newCents, skipped, now);
}

async function notifySkipped(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  charge: ProcessorCharge,
  refundCents: number,
  skipped: { commissionId: number; deductionCents: number; currency: string } | null,
  now: number,
): Promise<void> {
  await insertNotification(tx, {
    workspace_id: program.workspaceId,
    program_id: program.id,
    partner_id: null,
    kind: 'second_refund_skipped',
    dedupe_key: `second_refund_skipped:${program.workspaceId}:${charge.charge}:${charge.refunded_cents}`,
    payload: JSON.stringify({
      saleId: sale.id,
      transactionId: sale.processor_event_id,
      charge: charge.charge,
      refundAmountCents: refundCents,
      refundCurrency: charge.currency,
      ...skipped,
    }),
    created_at: now,
  });
}
