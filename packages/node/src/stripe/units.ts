/**
 * The number of decimals in ISO 4217 minus the number that Stripe uses. ISK, for example, has no decimals in
 * ISO 4217, but two at Stripe.
 */
const DECIMAL_SHIFTS: Readonly<Record<string, number>> = {
  ISK: -2,
  UGX: -2,
  UYI: -2,
  IQD: 1,
  LYD: 1,
  CLF: 2,
  MGA: 2,
  UYW: 2,
};

/** Converts an amount in Stripe's smallest unit of a currency to the smallest unit of ISO 4217. */
export function fromStripeUnits(amount: number, currency: string): number {
  const shift = DECIMAL_SHIFTS[currency.toUpperCase()] ?? 0;
  return shift < 0 ? Math.round(amount / 10 ** -shift) : amount * 10 ** shift;
}
