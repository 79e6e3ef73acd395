import type { CommissionTotal, Partner } from '../../api/types.ts';

/** The money of a partner in one currency, in its smallest unit. */
export interface CurrencyRow {
  readonly id: number;
  readonly currency: string;
  /** Commissions by status, net of refunds and corrections. */
  readonly pending: number;
  readonly approved: number;
  readonly paid: number;
  readonly payable: number;
  readonly balance: number;
}

/** A row for each currency in which the partner earned or is owed, the program's first. There is at least one. */
export function moneyRows(
  totals: readonly CommissionTotal[],
  balances: Partner['balances'],
  programCurrency: string,
): CurrencyRow[] {
  const found = [...totals, ...balances].map(({ currency }) => currency).sort();
  const rows = [...new Set([programCurrency, ...found])].map((currency, id) => {
    const sumOf = (status: CommissionTotal['status']) =>
      totals
        .filter((total) => total.currency === currency && total.status === status)
        .reduce(
          (sum, { amount_cents, deducted_cents, adjusted_cents }) =>
            sum + amount_cents - deducted_cents + adjusted_cents,
          0,
        );
    const balance = balances.find((one) => one.currency === currency);
    return {
      id,
      currency,
      pending: sumOf('pending'),
      approved: sumOf('approved'),
      paid: sumOf('paid'),
      payable: balance?.payable_cents ?? 0,
      balance: balance?.balance_cents ?? 0,
    };
  });
  const used = rows.filter(({ pending, approved, paid, payable, balance }) =>
    [pending, approved, paid, payable, balance].some((cents) => cents !== 0),
  );
  return used.length > 0 ? used : rows.slice(0, 1);
}
