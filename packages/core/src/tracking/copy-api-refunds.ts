import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockCommissionOfSale } from '../storage/money/commissions.ts';
import type { RefundRow } from '../storage/money/refunds.ts';
import { storeRefundWithoutCommission } from '../storage/money/refunds-without-commission.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { convertRefund, loadSaleRefunds } from './sale-refunds.ts';
import { applyRefund } from './track-refund.ts';

interface ApiRefund extends Pick<RefundRow, 'refund_id' | 'refund_amount_cents' | 'refund_at'> {
  readonly reason: string | null;
}

/**
 * Copies refunds from the sale `from` to the sale `to`, which records the same payment. The refunds were reported
 * for `from` through the API. A refund whose id is already known for `to`, from the API or from the processor, is
 * skipped. A refund without an id may have been reported for both sales. The function therefore adds up the refunds
 * without an id, separately for `from` and for `to`. It applies only the amount by which the sum for `from` is
 * larger. If `to` has no active commission, all refunds are kept for later.
 * @param from may be the same sale as `to`
 */
export async function copyApiRefunds(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  refunds: readonly ApiRefund[],
  from: SaleRow,
  to: SaleRow,
): Promise<void> {
  let reportedCents = 0;
  let unnamedCents = 0;
  for (const { refund_id, refund_amount_cents, reason, refund_at } of refunds) {
    // If `from` has the amount 0, nothing is left to refund, and an amount cannot be converted to another currency.
    if (from.amount_cents === 0 && (refund_amount_cents === null || from.currency !== to.currency)) continue;
    const cents = refund_amount_cents ?? from.amount_cents - reportedCents;
    reportedCents += cents;
    if (refund_id === null) unnamedCents += cents;
    const isWhole = from.amount_cents > 0 && reportedCents >= from.amount_cents;
    // Keep an amount that covers the whole sale: without a refund id, it sets the status `refunded`. A refund without
    // an amount sets `reversed`.
    const namesWhole = refund_amount_cents !== null && convertRefund(cents, from, to) === to.amount_cents;
    const commission = await lockCommissionOfSale(tx, to.program_id, to.id);
    if (!commission || commission.rejected_at !== null) {
      await storeRefundWithoutCommission(tx, {
        program_id: to.program_id,
        sale_id: to.id,
        refund_id,
        refund_amount_cents: isWhole && !namesWhole ? null : convertRefund(cents, from, to),
        reason,
        refund_at,
        created_at: runtime.now(),
      });
      continue;
    }
    const known = await loadSaleRefunds(tx, to);
    const { processed } = known.reported;
    const isKnown =
      refund_id !== null &&
      (known.rows.some((row) => row.refund_id === refund_id) ||
        processed.some(({ refundId }) => refundId === refund_id));
    // If the processor has reported that a refund failed, the sum of the reports decides how much is refunded.
    const isRest = isWhole && !processed.some(({ isFailed }) => isFailed);
    const newCents =
      refund_id === null
        ? convertRefund(unnamedCents, from, to) - known.reported.unnamedCents
        : convertRefund(cents, from, to);
    const addsNothing = !isRest && newCents <= 0;
    if (isKnown || addsNothing || known.appliedCents >= to.amount_cents) continue;
    const apply = (amountCents: number) =>
      applyRefund(
        tx,
        runtime,
        to,
        commission,
        known,
        { refundId: refund_id, amountCents, reason },
        { refundAt: refund_at, now: runtime.now() },
      );
    // An amount above the remaining amount of the sale is rejected. In this case, refund the whole remaining amount.
    if (isRejection(await apply(isRest && !namesWhole ? 0 : newCents))) await apply(0);
  }
}
