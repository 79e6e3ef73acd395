import type { CommissionTotal, PortalCommission } from '../../api/types.ts';
import { netCentsOf } from '../../ui/net-sums.ts';

/** The amounts of a receipt that are not commissions of their own. */
export interface ReceiptRest {
  /** Number and sum of the commissions that the receipt does not list. */
  readonly count: number;
  readonly cents: number;
  /**
   * What the commissions are not worth now: negative for deductions from earlier payouts, positive for what was
   * taken back after this payout.
   */
  readonly differenceCents: number;
}

/**
 * Sums up what a receipt does not list, so that its lines add up to the amount of the payout.
 * @param totals the totals of all commissions of the payout, which have one currency
 */
export function receiptRest(
  amountCents: number,
  listed: readonly PortalCommission[],
  totals: readonly CommissionTotal[],
): ReceiptRest {
  const sumOf = (rows: readonly Parameters<typeof netCentsOf>[0][]) =>
    rows.reduce((sum, row) => sum + netCentsOf(row), 0);
  const count = totals.reduce((sum, total) => sum + total.count, 0);
  const cents = sumOf(totals);
  return {
    count: count - listed.length,
    cents: cents - sumOf(listed),
    differenceCents: amountCents - cents,
  };
}
