/** By how many digits ISO 4217 counts a currency otherwise than Stripe, which sends ISK with two, and MGA without. */
const SHIFTS: Readonly<Record<string, number>> = {
  ISK: -2,
  UGX: -2,
  UYI: -2,
  IQD: 1,
  LYD: 1,
  CLF: 2,
  MGA: 2,
  UYW: 2,
};

/** An amount as Stripe counts it, in the smallest unit that ISO 4217 gives the currency. */
export function fromStripeUnits(amount: number, currency: string): number {
  const shift = SHIFTS[currency.toUpperCase()] ?? 0;
  return shift < 0 ? Math.round(amount / 10 ** -shift) : amount * 10 ** shift;
}
