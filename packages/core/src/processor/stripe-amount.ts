/**
 * Currencies whose amounts Stripe counts in another unit than ISO 4217's smallest: how many of ISO's are one of
 * Stripe's. Krona and shilling have no smaller unit but are sent with two decimals; the ariary is sent without any.
 * Source: docs.stripe.com/currencies
 */
const ISO_UNITS: Readonly<Record<string, number>> = { ISK: 1 / 100, UGX: 1 / 100, MGA: 100 };

/** An amount of an event in the smallest unit of its ISO 4217 currency, rounded half up; what is no count stays. */
export function toIsoAmount(amount: unknown, currency: unknown): unknown {
  const units = typeof currency === 'string' ? ISO_UNITS[currency.slice(0, 3).toUpperCase()] : undefined;
  if (units === undefined || typeof amount !== 'number' || !Number.isSafeInteger(amount)) return amount;
  return units < 1 ? Math.floor((amount + 50) / 100) : amount * units;
}
