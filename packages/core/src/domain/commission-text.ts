import { currencyExponent } from '@affkit/protocol';
import type { PolicyTerms } from './commission.ts';
import type { CommissionBase } from './commission-base.ts';
import { formatMajorUnits } from './money.ts';

/**
 * Describes the terms of a commission, such as "You earn 20% of each sale. Renewals of a subscription earn a commission
 * for 12 months."
 */
export function describeCommission(
  { type, rateBps, amountCents, recurringMonths }: PolicyTerms,
  { currency, commissionBase }: { readonly currency: string; readonly commissionBase: CommissionBase },
): string {
  const base = commissionBase === 'net' ? ', without tax and shipping' : '';
  const earned =
    type === 'percent'
      ? `${(rateBps ?? 0) / 100}% of each sale${base}`
      : `${formatAmount(amountCents ?? 0, currency)} for each sale`;
  return `You earn ${earned}. ${describeRenewals(recurringMonths)}`;
}

function describeRenewals(months: number | null): string {
  if (months === null) return 'Each renewal of a subscription earns a commission too.';
  if (months === 0) return 'Only the first payment of a subscription earns a commission.';
  return `Renewals of a subscription earn a commission for ${months === 1 ? '1 month' : `${months} months`}.`;
}

function formatAmount(amountCents: number, currency: string): string {
  const digits = currencyExponent(currency);
  // A decimal string keeps every digit. A division could lose digits.
  const amount = formatMajorUnits(amountCents, currency) as Intl.StringNumericLiteral;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);
}
