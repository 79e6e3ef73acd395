import { currencyExponent } from '@affkit/protocol';

/** Of a sale, and of a program, that names none. */
export const DEFAULT_CURRENCY = 'USD';

/**
 * `amount × part ÷ whole`, rounded half up, exact for every safe integer. The only rounding in Affkit.
 * @param amount not negative
 * @param whole positive
 */
export function proportion(amount: number, part: number, whole: number): number {
  const product = BigInt(amount) * BigInt(part);
  return Number((product * 2n + BigInt(whole)) / (BigInt(whole) * 2n));
}

/** An amount in major units, e.g. dollars: 1999 USD is 19.99, 1999 JPY is 1999, 1999 KWD is 1.999. */
export function toMajorUnits(amountCents: number, currency: string): number {
  return amountCents / 10 ** currencyExponent(currency);
}

/** The same as a text with all the currency's decimals: 1990 USD is 19.90, 1990 JPY is 1990. */
export function formatMajorUnits(amountCents: number, currency: string): string {
  return toMajorUnits(amountCents, currency).toFixed(currencyExponent(currency));
}
