import { perSale } from '#messages/candidates.ts';
import * as messages from '#messages/policies.ts';
import type { Policy } from '../../api/types.ts';
import { formatMoney } from '../../format/money.ts';

/** Formats the terms of a policy, such as `20%` or `$15.00 per sale`. */
export function termsOf({ type, rate, amount_cents }: Policy, currency: string): string {
  return type === 'percent'
    ? messages.percentOf(rate ?? 0)
    : perSale(formatMoney(amount_cents ?? 0, currency));
}

/** Says how long renewals earn a commission. */
export function describeRenewals(months: number | null): string {
  if (months === null) return messages.allRenewals;
  return months === 0 ? messages.firstPaymentOnly : messages.forMonths(months);
}
