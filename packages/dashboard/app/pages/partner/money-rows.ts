import type { CommissionTotal, PartnerDetail } from '../../api/types.ts';

/** The amounts of a partner in one currency, in its smallest unit. */
export interface CurrencyRow {
  readonly id: number;
  readonly currency: string;
  /** The amount that waits for an approval, or for a dispute to end. */
  readonly inReview: number;
  /** The amount that waits until the time for refunds has passed. */
  readonly onHold: number;
  readonly payable: number;
  readonly inPayouts: number;
  /** Deductions that exceeded the payable amount. They reduce the next payable amounts. */
  readonly toDeduct: number;
  /**
   * The whole amount that is owed to the partner: `inReview + onHold + payable + inPayouts - toDeduct`. It also equals
   * `earned - deducted + writtenOff - paid`.
   */
  readonly balance: number;
  /** All commissions with their adjustments. Rejected commissions are not included. */
  readonly earned: number;
  /** The amount that was deducted because of refunds and disputes. */
  readonly deducted: number;
  /** The part of the deductions that was not covered, because the balance cannot fall below zero. */
  readonly writtenOff: number;
  readonly paid: number;
}

const AMOUNTS = [
  'inReview',
  'onHold',
  'payable',
  'inPayouts',
  'balance',
  'earned',
  'deducted',
  'paid',
] as const;

/**
 * Returns a row for each currency that has an amount. The program's currency comes first. If no currency has
 * an amount, only the row of the program's currency is returned.
 */
export function moneyRows(
  totals: readonly CommissionTotal[],
  { balances, amounts }: Pick<PartnerDetail, 'balances' | 'amounts'>,
  programCurrency: string,
): CurrencyRow[] {
  const found = [...totals, ...balances].map(({ currency }) => currency).sort();
  const rows = [...new Set([programCurrency, ...found])].map((currency, id): CurrencyRow => {
    const counted = totals.filter((total) => total.currency === currency && total.status !== 'rejected');
    const earned = sumOf(counted, ({ amount_cents, adjusted_cents }) => amount_cents + adjusted_cents);
    const deducted = sumOf(counted, ({ deducted_cents }) => deducted_cents);
    const { balance_cents: balance = 0, payable_cents: payable = 0 } =
      balances.find((one) => one.currency === currency) ?? {};
    const own = amounts.find((one) => one.currency === currency);
    const {
      pending_cents: inReview = 0,
      on_hold_cents: onHold = 0,
      in_payout_cents: inPayouts = 0,
      to_deduct_cents: toDeduct = 0,
      paid_cents: paid = 0,
    } = own ?? {};
    return {
      id,
      currency,
      inReview,
      onHold,
      payable,
      inPayouts,
      toDeduct,
      balance,
      earned,
      deducted,
      writtenOff: balance - (earned - deducted - paid),
      paid,
    };
  });
  const filled = rows.filter((row) => AMOUNTS.some((amount) => row[amount] !== 0));
  return filled.length > 0 ? filled : rows.slice(0, 1);
}

function sumOf<Row>(rows: readonly Row[], amountOf: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + amountOf(row), 0);
}
