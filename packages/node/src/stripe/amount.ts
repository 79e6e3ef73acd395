import { countOf } from './json.ts';

/**
 * An amount of an event in the smallest unit of its ISO 4217 currency, as the server counts it. Stripe sends krona and
 * shilling with two decimals, which they no longer have, and the ariary with none. Source: docs.stripe.com/currencies
 */
export function isoAmountOf(amount: unknown, currency: unknown): number | undefined {
  const count = countOf(amount);
  if (count === undefined || typeof currency !== 'string') return count;
  switch (currency.toUpperCase()) {
    case 'ISK':
    case 'UGX':
      return Math.floor((count + 50) / 100);
    case 'MGA':
      return countOf(count * 100);
    default:
      return count;
  }
}
