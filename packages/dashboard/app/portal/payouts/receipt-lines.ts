import type { CommissionTotal, PortalCommission } from '../../api/types.ts';
import { type CommissionSums, netCentsOf } from '../../ui/net-sums.ts';

/** The amounts of a receipt that are not shown as single commissions. */
export interface ReceiptRest {
  /** Number and sum of the commissions that the receipt does not list. */
  readonly count: number;
  readonly cents: number;
  /**
   * The amount of the payout minus the current value of its commissions. It is negative if the payout contains
   * deductions from commissions of earlier payouts, or if corrections have since added to its own commissions. It is
   * positive if the payout contains additions to commissions of earlier payouts, or after later deductions.
   */
  readonly differenceCents: number;
}

/**
 * Sums up the amounts that a receipt does not list, so that its lines add up to the amount of the payout.
 * @param totals the totals of all commissions of the payout, which have one currency
 */
export function receiptRest(
  amountCents: number,
  listed: readonly PortalCommission[],
  totals: readonly CommissionTotal[],
): ReceiptRest {
  const sumOf = (rows: readonly CommissionSums[]) => rows.reduce((sum, row) => sum + netCentsOf(row), 0);
  const count = totals.reduce((sum, total) => sum + total.count, 0);
  const cents = sumOf(totals);
  return {
    count: count - listed.length,
    cents: cents - sumOf(listed),
    differenceCents: amountCents - cents,
  };
}
