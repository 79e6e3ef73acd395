import { proportion } from '../domain/money.ts';
import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockCommissionOfSale } from '../storage/money/commissions.ts';
import type { RefundRow } from '../storage/money/refunds.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { loadSaleRefunds } from './sale-refunds.ts';
import { applyRefund } from './track-refund.ts';

/**
 * Applies the refunds that the API reported for one sale of a payment to the other sale of it. Each refund id
 * counts once. Refunds without an id may be the same refund, so only what exceeds those of the other sale counts.
 */
export async function copyApiRefunds(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  refunds: readonly RefundRow[],
  from: SaleRow,
  { sale: to }: { readonly sale: SaleRow },
): Promise<void> {
  let reportedCents = 0;
  let unnamedCents = 0;
  for (const row of refunds) {
    if (row.source !== 'api') continue;
    const cents = row.refund_amount_cents ?? from.amount_cents - reportedCents;
    reportedCents += cents;
    if (row.refund_id === null) unnamedCents += cents;
    const { commission, known } = await loadTarget(tx, to);
    if (!commission || commission.rejected_at !== null) return;
    if (row.refund_id !== null && known.rows.some(({ refund_id }) => refund_id === row.refund_id)) continue;
    // The two sales may have different currencies. Then the refund is copied in proportion.
    const convert = (amount: number) =>
      from.currency === to.currency ? amount : proportion(to.amount_cents, amount, from.amount_cents);
    const isWhole = reportedCents >= from.amount_cents;
    const amountCents =
      row.refund_id === null ? convert(unnamedCents) - known.reported.unnamedCents : convert(cents);
    if (!isWhole && amountCents <= 0) continue;
    if (known.appliedCents >= to.amount_cents) return;
    const refund = { refundId: row.refund_id, reason: row.reason };
    const time = { refundAt: row.refund_at, now: runtime.now() };
    const apply = (amount: number) =>
      applyRefund(tx, runtime, to, commission, known, { ...refund, amountCents: amount }, time);
    // More than is left of the sale is all that is left of it.
    if (isRejection(await apply(isWhole ? 0 : amountCents))) await apply(0);
  }
}

async function loadTarget(tx: Transaction, sale: SaleRow) {
  const commission = await lockCommissionOfSale(tx, sale.program_id, sale.id);
  return { commission, known: await loadSaleRefunds(tx, sale) };
}
