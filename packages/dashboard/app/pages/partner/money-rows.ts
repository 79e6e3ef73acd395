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

const AMOUNTS = ['pending', 'approved', 'paid', 'payable', 'balance'] as const;

/** A row for each currency with an amount, the program's first. Without any, that one alone. */
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
  const filled = rows.filter((row) => AMOUNTS.some((amount) => row[amount] !== 0));
  return filled.length > 0 ? filled : rows.slice(0, 1);
}
