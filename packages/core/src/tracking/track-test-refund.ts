import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { findSaleByTransaction, type SaleRow } from '../storage/tracking/sales.ts';
import { insertTestRefund, listTestRefunds } from '../storage/tracking/test-events.ts';
import type { RecordedTestEvent } from './track-click.ts';
import { exceedsSale, type ReportedRefund } from './track-refund.ts';

/**
 * Records a refund of a sale in test mode. It is stored as a single row and changes nothing else. Each
 * `refund_id` of a sale is recorded only once. The refunds together must not exceed the amount of the sale.
 */
export async function trackTestRefund(
  runtime: Runtime,
  program: ProgramAccount,
  refund: ReportedRefund,
): Promise<RecordedTestEvent | Rejection> {
  const now = runtime.now();
  const refundAt = decideOccurredAt(refund, now);
  if (isRejection(refundAt)) return refundAt;
  const { refund_id = null, refund_amount_cents: cents = 0, refund_reason = null } = refund;
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    const sale = await findSaleByTransaction(tx.db, program.id, refund.transaction_id, 1);
    if (!sale) return new Rejection('sale_not_found');
    const recorded = (eventId: number) => ({ kind: 'test' as const, eventId, programId: program.id });
    const earlier = refund_id === null ? [] : await listTestRefunds(tx, sale);
    const first = earlier.find((row) => row.refund_id === refund_id);
    if (first) return recorded(first.id);
    const leftCents = subtractRefunds(sale, earlier);
    // In test mode, a sale may have no amount. Its refunds are then not limited.
    if (sale.amount_cents > 0 && cents > leftCents) return exceedsSale(leftCents, sale);
    return recorded(
      await insertTestRefund(tx, {
        program_id: program.id,
        sale_id: sale.id,
        refund_id,
        refund_amount_cents: cents || null,
        reason: refund_reason,
        is_test: 1,
        refund_at: refundAt,
        created_at: now,
      }),
    );
  });
}

/**
 * Returns the amount of the sale that has not been refunded yet. A refund without an amount refunds the whole
 * sale.
 */
function subtractRefunds(
  { amount_cents }: Pick<SaleRow, 'amount_cents'>,
  refunds: readonly { readonly refund_amount_cents: number | null }[],
): number {
  const refundedCents = refunds.reduce((sum, row) => sum + (row.refund_amount_cents ?? amount_cents), 0);
  return Math.max(0, amount_cents - refundedCents);
}
