import type { CommissionTotal, Partner, Payout } from '../../api/types.ts';

/** The amounts of a partner in one currency, in its smallest unit. */
export interface CurrencyRow {
  readonly id: number;
  readonly currency: string;
  /** The amount that waits for the end of its hold or for an approval. */
  readonly onHold: number;
  readonly payable: number;
  readonly inPayouts: number;
  /**
   * The whole amount that is owed to the partner. It is the sum of the amounts above, and equals `earned -
   * deducted + writtenOff - paid`.
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

const AMOUNTS = ['onHold', 'payable', 'inPayouts', 'balance', 'earned', 'deducted', 'paid'] as const;

/** A payout that is pending or paid. */
type OpenPayout = Pick<Payout, 'currency' | 'amount_cents' | 'status'>;

/**
 * Returns a row for each currency that has an amount. The program's currency comes first. If no currency has
 * an amount, only the row of the program's currency is returned.
 * @param payouts null if not all payouts are known; the paid amount is then calculated from the other amounts
 */
export function moneyRows(
  totals: readonly CommissionTotal[],
  balances: Partner['balances'],
  payouts: readonly OpenPayout[] | null,
  programCurrency: string,
): CurrencyRow[] {
  const found = [...totals, ...balances].map(({ currency }) => currency).sort();
  const rows = [...new Set([programCurrency, ...found])].map((currency, id): CurrencyRow => {
    const counted = totals.filter((total) => total.currency === currency && total.status !== 'rejected');
    const earned = sumOf(counted, ({ amount_cents, adjusted_cents }) => amount_cents + adjusted_cents);
    const deducted = sumOf(counted, ({ deducted_cents }) => deducted_cents);
    const { balance_cents: balance = 0, payable_cents: payable = 0 } =
      balances.find((one) => one.currency === currency) ?? {};
    const sumOfPayouts = (status: Payout['status']) =>
      sumOf(
        payouts?.filter((payout) => payout.currency === currency && payout.status === status) ?? [],
        ({ amount_cents }) => amount_cents,
      );
    const inPayouts = sumOfPayouts('pending');
    const paid = payouts === null ? earned - deducted - balance : sumOfPayouts('paid');
    return {
      id,
      currency,
      onHold: balance - payable - inPayouts,
      payable,
      inPayouts,
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
