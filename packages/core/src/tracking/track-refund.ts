import type { trackRefundRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { takeRefundsWithoutCommission } from '../storage/money/refunds-without-commission.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { findAllPaymentIds, findSaleByPaymentIds } from '../storage/stripe/processor-refs.ts';
import { findSale, findSaleByTransaction, type SaleRow } from '../storage/tracking/sales.ts';
import type { RefundTime } from './change-refunded-total.ts';
import { copyApiRefunds } from './copy-api-refunds.ts';
import { type RefundOutcome, refundSale, type SaleRefund } from './refund-sale.ts';

export type ReportedRefund = z.output<typeof trackRefundRequest>;

/**
 * Reverses the commission of a refunded sale, in full or in proportion. Each `refund_id` is applied only
 * once. The refunds together must not exceed the amount of the sale. A refund without a `refund_id` is
 * applied only if nothing of the sale has been refunded yet.
 */
export async function trackRefund(
  runtime: Runtime,
  program: ProgramAccount,
  refund: ReportedRefund,
): Promise<RefundOutcome | Rejection> {
  const now = runtime.now();
  const refundAt = decideOccurredAt(refund, now);
  if (isRejection(refundAt)) return refundAt;
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    // The program may have been deleted after the token was checked.
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('token_invalid');
    const found = await findRefundedSale(tx, program, refund, now);
    if (!found) return new Rejection('sale_not_found');
    const { refund_id, refund_amount_cents, refund_reason } = refund;
    const saleRefund = {
      refundId: refund_id ?? null,
      amountCents: refund_amount_cents ?? 0,
      reason: refund_reason ?? null,
    };
    const time = { refundAt, now };
    const outcome = await refundSale(tx, runtime, program, found.sale, saleRefund, time);
    if (found.keptElsewhere && !isRejection(outcome)) {
      await passOnRefund(tx, runtime, found.sale, found.keptElsewhere, saleRefund, time);
    }
    return outcome;
  });
}

interface RefundedSale {
  readonly sale: SaleRow;
  /** The sale of another program with which the sale was merged, and which earns the commission of the payment. */
  readonly keptElsewhere: SaleRow | null;
}

/**
 * Finds the sale by any id of its payment. If the id belongs to a merged duplicate, finds the remaining sale. A sale of
 * another program is never returned as `sale`, because the caller may only name sales of its own program.
 */
async function findRefundedSale(
  tx: Transaction,
  program: ProgramAccount,
  refund: ReportedRefund,
  now: number,
): Promise<RefundedSale | null> {
  const { refs } = await findAllPaymentIds(tx, program.workspaceId, [refund.transaction_id], now);
  const key = await findSaleByPaymentIds(tx.db, program.workspaceId, refs);
  const owner = key && (await findSale(tx.db, key.programId, key.saleId));
  if (owner?.program_id === program.id) return { sale: owner, keptElsewhere: null };
  const sale = await findSaleByTransaction(tx.db, program.id, refund.transaction_id, 0);
  return sale && { sale, keptElsewhere: owner };
}

/** Applies a refund that was reported for a merged duplicate to the sale of the other program, as a merge does. */
async function passOnRefund(
  tx: Transaction,
  runtime: Runtime,
  duplicate: SaleRow,
  kept: SaleRow,
  { refundId, amountCents, reason }: SaleRefund,
  { refundAt }: RefundTime,
): Promise<void> {
  // The duplicate can never earn a commission, so nothing is kept for it.
  await takeRefundsWithoutCommission(tx, { programId: duplicate.program_id, saleId: duplicate.id });
  const refund_amount_cents = amountCents === 0 ? null : amountCents;
  const refund = { refund_id: refundId, refund_amount_cents, refund_at: refundAt, reason };
  await copyApiRefunds(tx, runtime, [refund], duplicate, kept);
}
