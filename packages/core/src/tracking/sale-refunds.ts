import { proportion } from '../domain/money.ts';
import {
  computeRefundedCents,
  isStripeRefund,
  type NamedRefund,
  type ReportedRefunds,
} from '../domain/refund.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { listRefundsOfSale, type RefundRow } from '../storage/money/refunds.ts';
import { listChargesOfSale } from '../storage/stripe/processor-charges.ts';
import { listDisputesOfSale } from '../storage/stripe/processor-disputes.ts';
import { listProcessorRefunds } from '../storage/stripe/processor-refunds.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';

/** The reported refunds of a sale, and the amount that has been applied. */
export interface SaleRefunds {
  readonly rows: readonly RefundRow[];
  readonly reported: ReportedRefunds;
  /** The refunded total that has been applied to the commission. */
  readonly appliedCents: number;
  /**
   * Whether refunds in another currency make the refunded share of the sale unknown. The share is known if a
   * whole charge was refunded.
   */
  readonly hasOtherCurrency: boolean;
}

/** Loads the refunds of a sale. The commission of the sale must be locked. */
export async function loadSaleRefunds(tx: Transaction, sale: SaleRow): Promise<SaleRefunds> {
  const key = { programId: sale.program_id, saleId: sale.id };
  const rows = await listRefundsOfSale(tx.db, key);
  const charges = await listChargesOfSale(tx.db, key);
  const processed = await listProcessorRefunds(tx.db, key);
  const disputes = await listDisputesOfSale(tx.db, key);
  const foreign = charges.filter((charge) => charge.currency !== sale.currency);
  const failedCharges = new Set(processed.filter((row) => row.is_failed === 1).map((row) => row.charge));
  const isWholeForeign = foreign.some((row) => row.is_whole === 1 && !failedCharges.has(row.charge));
  const chargesCents = charges
    .filter((charge) => charge.currency === sale.currency)
    .reduce((total, charge) => total + charge.refunded_cents, isWholeForeign ? sale.amount_cents : 0);
  return {
    rows,
    reported: {
      ...sumApiRefunds(rows, sale, new Set(disputes.map(({ dispute }) => dispute))),
      chargesCents,
      lostCents: disputes
        .filter(({ state, currency }) => state === 'lost' && currency === sale.currency)
        .reduce((cents, { amount_cents }) => cents + amount_cents, 0),
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
 * Adds up the refunds that were reported through Affkit's API. A refund of the rest of the sale has no amount of its
 * own. Without an id, it counts as the whole sale. With an id, it counts as the amount that it added to the refunded
 * total. `coveredCents` leaves out earlier lost disputes, because a lost dispute can still be won.
 */
function sumApiRefunds(
  rows: readonly RefundRow[],
  sale: SaleRow,
  disputes: ReadonlySet<string>,
): Pick<ReportedRefunds, 'unnamedCents' | 'named' | 'coveredCents'> {
  const named: NamedRefund[] = [];
  let [unnamedCents, coveredCents, totalCents, disputedCents] = [0, 0, 0, 0];
  for (const { source, refund_id, refund_amount_cents, applied_cents, lost_cents } of rows) {
    if (source !== 'api') {
      if (refund_id !== null && disputes.has(refund_id)) disputedCents += applied_cents;
      continue;
    }
    const restCents = refund_id === null ? sale.amount_cents : applied_cents;
    const amountCents = refund_amount_cents ?? restCents;
    if (refund_id === null) unnamedCents += amountCents;
    else named.push({ refundId: refund_id, amountCents });
    totalCents += amountCents;
    if (refund_amount_cents === null && refund_id !== null && isStripeRefund(refund_id)) {
      // Earlier versions did not store the lost disputes with the refund.
      const lostCents = lost_cents ?? disputedCents;
      coveredCents = Math.max(coveredCents, sale.amount_cents - totalCents - lostCents);
    }
  }
  return { unnamedCents, named, coveredCents };
}

/** Computes the refunded total of a sale. It is never more than the amount of the sale. */
export function refundedTotal(reported: ReportedRefunds, sale: SaleRow): number {
  return Math.min(sale.amount_cents, computeRefundedCents(reported));
}

/**
 * Converts the amount of a refund from one sale to another sale of the same payment. If the currencies
 * differ, the result is the same share of the other sale. If `from` has the amount 0, there are no shares, so
 * the result is 0.
 */
export function convertRefund(amountCents: number, from: SaleRow, to: SaleRow): number {
  if (from.currency === to.currency) return amountCents;
  return from.amount_cents === 0 ? 0 : proportion(to.amount_cents, amountCents, from.amount_cents);
}
