import { computeDeduction, computeNewRefund, computeOpenCents } from '../domain/refund.ts';
import { isRejection } from '../rejection.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findCommissionOfSale } from '../storage/money/commissions.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import {
  type ProcessorCharge,
  sumUnmatchedRefunds,
  updateCharge,
} from '../storage/stripe/processor-charges.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { refundSale } from './track-refund.ts';

/** What came of a charge's refunds. */
export interface SettledCharge {
  readonly outcome: 'refunded' | 'refund_skipped';
  readonly reason: string;
}

/**
 * Takes what is new of a charge's refunds from the commission of its sale, once. A commission is reduced by one
 * refund alone: of a second one the advertiser is told what it would have taken.
 * @param charge locked
 */
export async function settleCharge(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  charge: ProcessorCharge,
  now: number,
): Promise<SettledCharge> {
  const taken = { programId: program.id, saleId: sale.id };
  const otherCents = Math.max(0, await sumUnmatchedRefunds(tx.db, taken, sale.amount_cents, charge.charge));
  const news = computeNewRefund(
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
  if (news.kind === 'none') {
    await updateCharge(tx, charge, settled);
    return { outcome: 'refund_skipped', reason: 'already_applied' };
  }
  if (news.kind === 'incomparable') {
    await updateCharge(tx, charge, settled);
    await warnOfSkipped(tx, program, sale, charge, news.newCents, null, now);
    return { outcome: 'refund_skipped', reason: 'currency_differs' };
  }
  const refund = { amountCents: news.amountCents, reason: charge.reason };
  const outcome = await refundSale(tx, program, sale, refund, { refundAt: charge.refunded_at, now });
  if (isRejection(outcome)) throw new Error(`Refund of charge ${charge.charge}: ${outcome.message}`);
  if (outcome.kind === 'deducted') {
    const deducted = news.amountCents === 0 ? sale.amount_cents : news.amountCents;
    await updateCharge(tx, charge, { ...settled, deducted_cents: charge.deducted_cents + deducted });
    return { outcome: 'refunded', reason: outcome.status };
  }
  await updateCharge(tx, charge, settled);
  if (outcome.kind === 'no_commission') return { outcome: 'refund_skipped', reason: 'no_commission' };
  await warnOfSecond(tx, program, sale, charge, news, now);
  return { outcome: 'refund_skipped', reason: outcome.reason.replaceAll(' ', '_') };
}

/** Nothing is said of a refund that has nothing left to take. */
async function warnOfSecond(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  charge: ProcessorCharge,
  news: { readonly amountCents: number; readonly newCents: number },
  now: number,
): Promise<void> {
  const commission = await findCommissionOfSale(tx, program.id, sale.id);
  if (!commission || commission.rejected_at !== null) return;
  const deduction = computeDeduction(commission, sale.amount_cents, news.amountCents);
  if (isRejection(deduction)) return;
  const openCents = Math.max(0, computeOpenCents(commission));
  const wouldTakeCents = Math.min(deduction.deductionCents, openCents);
  if (wouldTakeCents === 0) return;
  const figure = {
    commissionId: commission.id,
    deductionCents: wouldTakeCents,
    currency: commission.currency,
  };
  await warnOfSkipped(tx, program, sale, charge, news.newCents, figure, now);
}

async function warnOfSkipped(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  charge: ProcessorCharge,
  refundCents: number,
  figure: { commissionId: number; deductionCents: number; currency: string } | null,
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
      ...figure,
    }),
    created_at: now,
  });
}
