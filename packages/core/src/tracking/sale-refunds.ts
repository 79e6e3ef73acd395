import { proportion } from '../domain/money.ts';
import { computeRefundedCents, isStripeRefund, type ReportedRefunds } from '../domain/refund.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { listRefundsOfSale, type RefundRow } from '../storage/money/refunds.ts';
import { listChargesOfSale } from '../storage/stripe/processor-charges.ts';
import { sumLostDisputes } from '../storage/stripe/processor-disputes.ts';
import { listProcessorRefunds } from '../storage/stripe/processor-refunds.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';

/** The reported refunds of a sale, and the amount that has been applied. */
export interface SaleRefunds {
  readonly rows: readonly RefundRow[];
  readonly reported: ReportedRefunds;
  /** The refunded total that has been applied to the commission. */
  readonly appliedCents: number;
  /**
   * Whether the sale has refunds in another currency, and the refunded share of the sale is unknown. The share is
   * known if a whole charge was refunded.
   */
  readonly hasOtherCurrency: boolean;
}

/** Loads the refunds of a sale. The commission of the sale must be locked. */
export async function loadSaleRefunds(tx: Transaction, sale: SaleRow): Promise<SaleRefunds> {
  const key = { programId: sale.program_id, saleId: sale.id };
  const rows = await listRefundsOfSale(tx.db, key);
  const charges = await listChargesOfSale(tx.db, key);
  const processed = await listProcessorRefunds(tx.db, key);
  const byApi = rows
    .filter((row) => row.source === 'api')
    .map((row) => ({ refundId: row.refund_id, amountCents: row.refund_amount_cents ?? restOf(row, sale) }));
  const foreign = charges.filter((charge) => charge.currency !== sale.currency);
  const failedCharges = new Set(processed.filter((row) => row.is_failed === 1).map((row) => row.charge));
  const isWholeForeign = foreign.some((row) => row.is_whole === 1 && !failedCharges.has(row.charge));
  const chargesCents = charges
    .filter((charge) => charge.currency === sale.currency)
    .reduce((total, charge) => total + charge.refunded_cents, isWholeForeign ? sale.amount_cents : 0);
  return {
    rows,
    reported: {
      unnamedCents: byApi.reduce((cents, row) => cents + (row.refundId === null ? row.amountCents : 0), 0),
      named: byApi.flatMap(({ refundId, amountCents }) =>
        refundId === null ? [] : [{ refundId, amountCents }],
      ),
      chargesCents,
      lostCents: await sumLostDisputes(tx.db, key, sale.currency),
      processed: processed
        .filter((row) => row.currency === sale.currency)
        .map((row) => ({
          refundId: row.refund,
          amountCents: row.amount_cents,
          isFailed: row.is_failed === 1,
        })),
    },
    appliedCents: rows.reduce((cents, row) => cents + row.applied_cents, 0),
    hasOtherCurrency: foreign.length > 0 && !isWholeForeign,
  };
}

/**
 * Returns the amount of a refund of the rest of the sale. Without an id, or with Stripe's id, the refund is compared with
 * sums of the processor that include earlier refunds, so it counts as the whole sale. A refund with any other id counts
 * in addition to these sums, so it counts as what was left when it was applied.
 */
function restOf({ refund_id, applied_cents }: RefundRow, sale: SaleRow): number {
  return refund_id === null || isStripeRefund(refund_id) ? sale.amount_cents : applied_cents;
}

/** Computes the refunded total of a sale. It is never more than the amount of the sale. */
export function refundedTotal(reported: ReportedRefunds, sale: SaleRow): number {
  return Math.min(sale.amount_cents, computeRefundedCents(reported));
}

/**
 * Converts the amount of a refund of one sale to the amount of the same refund of another sale that records the same
 * payment. In another currency, it is the same share of the sale. A sale of 0 has no shares, so the result is 0.
 */
export function convertRefund(amountCents: number, from: SaleRow, to: SaleRow): number {
  if (from.currency === to.currency) return amountCents;
  return from.amount_cents === 0 ? 0 : proportion(to.amount_cents, amountCents, from.amount_cents);
}
