import type { CommissionTotal, Partner, Payout } from '../../api/types.ts';

/** The money of a partner in one currency, in its smallest unit. */
export interface CurrencyRow {
  readonly id: number;
  readonly currency: string;
  /** What waits for its hold to pass or for an approval. */
  readonly onHold: number;
  readonly payable: number;
  readonly inPayouts: number;
  /** The sum of the amounts above: all that the partner is owed. */
  readonly balance: number;
  /** Commissions that were paid, net of refunds and corrections. */
  readonly paid: number;
}

const AMOUNTS = ['onHold', 'payable', 'inPayouts', 'balance', 'paid'] as const;

/** A row for each currency with an amount, the program's first. Without any, that one alone. */
export function moneyRows(
  totals: readonly CommissionTotal[],
  balances: Partner['balances'],
  pendingPayouts: readonly Pick<Payout, 'currency' | 'amount_cents'>[],
  programCurrency: string,
): CurrencyRow[] {
  const found = [...totals, ...balances].map(({ currency }) => currency).sort();
  const rows = [...new Set([programCurrency, ...found])].map((currency, id) => {
    const paid = totals
      .filter((total) => total.currency === currency && total.status === 'paid')
      .reduce(
        (sum, { amount_cents, deducted_cents, adjusted_cents }) =>
          sum + amount_cents - deducted_cents + adjusted_cents,
        0,
      );
    const { balance_cents: balance = 0, payable_cents: payable = 0 } =
      balances.find((one) => one.currency === currency) ?? {};
    const inPayouts = pendingPayouts
      .filter((payout) => payout.currency === currency)
      .reduce((sum, { amount_cents }) => sum + amount_cents, 0);
    return {
      id,
      currency,
      onHold: balance - payable - inPayouts,
      payable,
      inPayouts,
      balance,
      paid,
    };
  });
  const filled = rows.filter((row) => AMOUNTS.some((amount) => row[amount] !== 0));
  return filled.length > 0 ? filled : rows.slice(0, 1);
}
