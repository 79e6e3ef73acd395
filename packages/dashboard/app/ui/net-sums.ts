import type { Amount } from './values.tsx';

/** The amounts that determine the current value of a commission, or of a sum of commissions. */
export interface CommissionSums {
  readonly status: string | null;
  readonly amount_cents: number;
  readonly deducted_cents: number;
  readonly adjusted_cents: number;
  readonly currency: string;
}

/**
 * The amount minus refunds, plus adjustments. A rejected commission is worth 0, which is a special case: the rejection
 * also takes back the adjustments, but `deducted_cents` contains only the amount.
 */
export function netCentsOf({
  status,
  amount_cents,
  deducted_cents,
  adjusted_cents,
}: Omit<CommissionSums, 'currency'>): number {
  return status === 'rejected' ? 0 : amount_cents - deducted_cents + adjusted_cents;
}

/** The amounts after refunds and adjustments, summed for each currency. */
export function netSumsOf(rows: readonly CommissionSums[]): readonly Amount[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.currency, (sums.get(row.currency) ?? 0) + netCentsOf(row));
  return [...sums].map(([currency, cents]) => ({ currency, cents }));
}
