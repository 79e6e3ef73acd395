import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { findSaleByTransaction } from '../storage/tracking/sales.ts';
import { insertTestRefund } from '../storage/tracking/test-events.ts';
import type { TestEvent } from './track-click.ts';
import type { RefundInput } from './track-refund.ts';

/** Records a refund of a sale in test mode: a single row that changes nothing else. */
export async function trackTestRefund(
  runtime: Runtime,
  program: ProgramAccount,
  refund: RefundInput,
): Promise<TestEvent | Rejection> {
  const now = runtime.now();
  const refundAt = decideOccurredAt(refund.occurred_at, now);
  if (isRejection(refundAt)) return refundAt;
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    const sale = await findSaleByTransaction(tx.db, program.id, refund.transaction_id, 1);
    if (!sale) return new Rejection('sale_not_found');
    const cents = refund.refund_amount_cents ?? 0;
    // The amount of a sale in test mode is optional.
    if (sale.amount_cents > 0 && cents > sale.amount_cents) return new Rejection('refund_exceeds_sale');
    const eventId = await insertTestRefund(tx, {
      program_id: program.id,
      sale_id: sale.id,
      refund_amount_cents: cents || null,
      reason: refund.refund_reason ?? null,
      is_test: 1,
      refund_at: refundAt,
      created_at: now,
    });
    return { kind: 'test' as const, eventId, programId: program.id };
  });
}
