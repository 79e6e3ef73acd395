import type { trackRefundRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { toMajorUnits } from '../domain/money.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { computeClamp, computeDeduction } from '../domain/refund.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  type CommissionRow,
  findCommissionOfSale,
  insertRefund,
  updateCommission,
} from '../storage/commissions.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { deductCommission } from '../storage/ledger.ts';
import { enqueue } from '../storage/outbox.ts';
import type { ProgramAccount } from '../storage/programs.ts';
import { findSale, findSaleByTransaction, findTransaction, type SaleRow } from '../storage/sales.ts';
import { makeOwedCommission } from './owed-commission.ts';

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

/** Takes back the commission of a refunded sale, whole or in proportion, once. */
export async function trackRefund(
  runtime: Runtime,
  program: ProgramAccount,
  refund: RefundInput,
): Promise<RefundOutcome | Rejection> {
  const now = runtime.now();
  const refundAt = decideOccurredAt(refund.occurred_at, now);
  if (isRejection(refundAt)) return refundAt;
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    const sale = await findRefundedSale(tx, program, refund);
    if (!sale) return new Rejection('sale_not_found');
    if (sale.is_test === 1) return { kind: 'no_commission' as const };
    const commission =
      (await findCommissionOfSale(tx, program.id, sale.id)) ??
      (await makeOwedCommission(tx, program, sale, now));
    if (!commission) return { kind: 'no_commission' as const };
    const reason = skipReason(commission);
    if (reason !== null) return { kind: 'skipped' as const, reason, commissionId: commission.id };
    return await deduct(tx, program, sale, commission, refund, { refundAt, now });
  });
}

/** By the transaction id, or by another id of the same payment. In test mode only test sales count. */
async function findRefundedSale(
  tx: Transaction,
  program: ProgramAccount,
  refund: RefundInput,
): Promise<SaleRow | null> {
  if (refund.additional_data?.test_mode === true) {
    return await findSaleByTransaction(tx.db, program.id, refund.transaction_id, 1);
  }
  const sale = await findSaleByTransaction(tx.db, program.id, refund.transaction_id, 0);
  if (sale) return sale;
  const taken = await findTransaction(tx.db, program.workspaceId, refund.transaction_id, []);
  return taken?.programId === program.id ? await findSale(tx.db, program.id, taken.saleId) : null;
}

function skipReason(commission: CommissionRow): string | null {
  if (commission.rejected_at !== null) return 'commission was rejected';
  return commission.status === 'reversed' || commission.status === 'refunded' ? 'already reversed' : null;
}

async function deduct(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  commission: CommissionRow,
  refund: RefundInput,
  time: { refundAt: number; now: number },
): Promise<RefundOutcome | Rejection> {
  const deduction = computeDeduction(
    commission.amount_cents,
    sale.amount_cents,
    refund.refund_amount_cents ?? 0,
  );
  if (isRejection(deduction)) return deduction;
  const { status, deductionCents } = deduction;
  const wasPaid = commission.paid_at !== null;
  await updateCommission(tx, commission, {
    status,
    deducted_cents: deductionCents,
    refund_reason: refund.refund_reason ?? null,
  });
  const refundId = await insertRefund(tx, {
    program_id: program.id,
    sale_id: sale.id,
    commission_id: commission.id,
    refund_amount_cents: refund.refund_amount_cents || null,
    deduction_cents: deductionCents,
    reason: refund.refund_reason ?? null,
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
  await deductCommission(tx, subject, deductionCents, (before) =>
    computeClamp(before, deductionCents, wasPaid),
  );
  const deductionAmount = toMajorUnits(deductionCents, commission.currency);
  await enqueue(
    tx,
    program.id,
    'notify',
    refundId,
    {
      kind: status === 'reversed' ? 'commission_reversed' : 'commission_refunded',
      partnerId: commission.partner_id,
      commissionId: commission.id,
      deductionCents,
      currency: commission.currency,
      reason: refund.refund_reason ?? null,
      wasPaid,
    },
    time.now,
  );
  return { kind: 'deducted', status, deductionAmount, commissionId: commission.id };
}
