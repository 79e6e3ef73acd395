import type { Amount } from './values.tsx';

/** The amounts that make up what a commission, or a sum of commissions, is worth now. */
export interface CommissionSums {
  readonly amount_cents: number;
  readonly deducted_cents: number;
  readonly adjusted_cents: number;
  readonly currency: string;
}

/** An amount after refunds and adjustments. */
export function netCentsOf({ amount_cents, deducted_cents, adjusted_cents }: CommissionSums): number {
  return amount_cents - deducted_cents + adjusted_cents;
}

/** The amounts after refunds and adjustments, summed for each currency. */
export function netSumsOf(rows: readonly CommissionSums[]): readonly Amount[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.currency, (sums.get(row.currency) ?? 0) + netCentsOf(row));
  return [...sums].map(([currency, cents]) => ({ currency, cents }));
}
