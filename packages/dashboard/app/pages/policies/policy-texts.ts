import type { Policy } from '../../api/types.ts';
import { formatMoney } from '../../format/money.ts';

/** `20%`, or `$15.00 per sale`. */
export function termsOf({ type, rate, amount_cents }: Policy, currency: string): string {
  return type === 'percent' ? `${rate ?? 0}%` : `${formatMoney(amount_cents ?? 0, currency)} per sale`;
}

/** For how long renewals earn. */
export function describeRenewals(months: number | null): string {
  if (months === null) return 'All renewals';
  if (months === 0) return 'First payment only';
  return months === 1 ? 'For 1 month' : `For ${months} months`;
}
