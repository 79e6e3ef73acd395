import type { trackRefundRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { toMajorUnits } from '../domain/money.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { computeClamp, computeDeduction } from '../domain/refund.ts';
import { isRejection, Rejection, Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { isTransient } from '../storage/database/engine/transient.ts';
import {
  type CommissionRow,
  insertRefund,
  lockCommissionOfSale,
  updateCommission,
} from '../storage/money/commissions.ts';
import { debitPartner } from '../storage/money/ledger.ts';
import { reducePayout } from '../storage/money/payouts.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { expandProcessorReferences, findSaleByReference } from '../storage/stripe/processor-refs.ts';
import { enqueueNotices, type Notice } from '../storage/tracking/outbox.ts';
import { findSale, findSaleByTransaction, type SaleRow } from '../storage/tracking/sales.ts';
import { repairCommission } from './repair-commission.ts';

export type RefundInput = z.output<typeof trackRefundRequest>;

export type RefundOutcome =
  | {
      readonly kind: 'deducted';
      readonly status: 'reversed' | 'refunded';
      /** In major units of the commission's currency. */
      readonly deductionAmount: number;
      readonly commissionId: number;
    }
  | { readonly kind: 'skipped'; readonly reason: string; readonly commissionId: number }
  | { readonly kind: 'no_commission' };

/**
 * Reverses the commission of a refunded sale, in full or in proportion. A commission is reduced by one refund
 * only.
 */
export async function trackRefund(
  runtime: Runtime,
  program: ProgramAccount,
  refund: RefundInput,
): Promise<RefundOutcome | Rejection> {
  const now = runtime.now();
  const refundAt = decideOccurredAt(refund.occurred_at, now);
  if (isRejection(refundAt)) return refundAt;
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    // The program may have been deleted since the token was checked.
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('token_invalid');
    const sale = await findRefundedSale(tx, program, refund);
    if (!sale) return new Rejection('sale_not_found');
    const { refund_amount_cents, refund_reason } = refund;
    return await refundSale(
      tx,
      runtime,
      program,
      sale,
      { amountCents: refund_amount_cents ?? 0, reason: refund_reason ?? null },
      { refundAt, now },
    );
  });
}

/** The amount and reason of a refund, as its source reports them. */
export interface SaleRefund {
  /** In the sale's currency; 0 = the whole sale. */
  readonly amountCents: number;
  readonly reason: string | null;
}

/** Reverses the commission of a sale, like `trackRefund`, within a transaction. */
export async function refundSale(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  program: ProgramAccount,
  sale: SaleRow,
  refund: SaleRefund,
  time: { readonly refundAt: number; readonly now: number },
): Promise<RefundOutcome | Rejection> {
  const commission =
    (await lockCommissionOfSale(tx, program.id, sale.id)) ??
    (await repairCommission(tx, runtime, program, sale));
  if (!commission) return { kind: 'no_commission' };
  const reason = skipReason(commission);
  if (reason !== null) return { kind: 'skipped', reason, commissionId: commission.id };
  return await deduct(tx, runtime, program, sale, commission, refund, time);
}

/**
 * Finds the sale by any id of its payment. The id of a merged duplicate leads to the sale that was kept.
 */
async function findRefundedSale(
  tx: Transaction,
  program: ProgramAccount,
  refund: RefundInput,
): Promise<SaleRow | null> {
  const { refs } = await expandProcessorReferences(tx.db, program.workspaceId, [refund.transaction_id]);
  const key = await findSaleByReference(tx.db, program.workspaceId, refs);
  if (key?.programId === program.id) return await findSale(tx.db, program.id, key.saleId);
  return await findSaleByTransaction(tx.db, program.id, refund.transaction_id, 0);
}

function skipReason(commission: CommissionRow): string | null {
  if (commission.rejected_at !== null) return 'commission was rejected';
  return commission.status === 'reversed' || commission.status === 'refunded' ? 'already reversed' : null;
}

async function deduct(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  program: ProgramAccount,
  sale: SaleRow,
  commission: CommissionRow,
  refund: SaleRefund,
  time: { readonly refundAt: number; readonly now: number },
): Promise<RefundOutcome | Rejection> {
  const deduction = computeDeduction(commission, sale.amount_cents, refund.amountCents);
  if (isRejection(deduction)) return deduction;
  const { status, deductionCents } = deduction;
  const wasPaid = commission.paid_at !== null;
  await updateCommission(tx, commission, {
    status,
    deducted_cents: deductionCents,
    refund_reason: refund.reason,
  });
  const refundId = await insertRefund(tx, {
    program_id: program.id,
    sale_id: sale.id,
    commission_id: commission.id,
    refund_amount_cents: refund.amountCents || null,
    deduction_cents: deductionCents,
    reason: refund.reason,
    refund_at: time.refundAt,
    created_at: time.now,
  });
  const subject = {
    programId: program.id,
    partnerId: commission.partner_id,
    currency: commission.currency,
    commissionId: commission.id,
    refundId,
    at: time.now,
  };
  await reducePayout(tx, commission, subject, deductionCents);
  await debitPartner(tx, subject, 'deduction', deductionCents, (before) =>
    computeClamp(before, deductionCents, wasPaid),
  );
  const payload = {
    commissionId: commission.id,
    deductionCents,
    currency: commission.currency,
    reason: refund.reason,
  };
  const kind = status === 'reversed' ? 'commission_reversed' : 'commission_refunded';
  const notices: Notice[] = [{ partnerId: commission.partner_id, kind, payload }];
  if (wasPaid) notices.push({ partnerId: null, kind: 'paid_commission_reversed', payload });
  await tryEnqueueNotices(tx, runtime, program.id, refundId, notices, time.now);
  const deductionAmount = toMajorUnits(deductionCents, commission.currency);
  return { kind: 'deducted', status, deductionAmount, commissionId: commission.id };
}

/** Enqueues the notices of a refund. A failure is logged, because it must not refuse the refund. */
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
