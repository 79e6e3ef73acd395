import { currencyExponent } from '@affkit/protocol';

/** The currency of a sale or program if none is specified. */
export const DEFAULT_CURRENCY = 'USD';

/**
 * Returns `amount × part ÷ whole`, rounded half up. The result is exact for all safe integers. Every rounded
 * amount in Affkit is computed by this function.
 *
 * @param amount must not be negative
 * @param part must not be negative
 * @param whole must be positive
 */
export function proportion(amount: number, part: number, whole: number): number {
  const product = BigInt(amount) * BigInt(part);
  return Number((product * 2n + BigInt(whole)) / (BigInt(whole) * 2n));
}

/**
 * Converts an amount to major units, such as dollars: 1999 USD is 19.99, 1999 JPY is 1999, 1999 KWD is 1.999.
 */
export function toMajorUnits(amountCents: number, currency: string): number {
  return amountCents / 10 ** currencyExponent(currency);
}

/**
 * Formats an amount in major units with all decimals of the currency: 1990 USD is "19.90", 1990 JPY is
 * "1990". The result is exact for all safe integers, because nothing is divided.
 */
export function formatMajorUnits(amountCents: number, currency: string): string {
  const exponent = currencyExponent(currency);
  const digits = String(Math.abs(amountCents)).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const decimals = exponent === 0 ? '' : `.${digits.slice(-exponent)}`;
  return `${amountCents < 0 ? '-' : ''}${whole}${decimals}`;
}

/**
 * Reads a decimal in major units, such as `1,234.50` or `-5`, without floating point. The sign is ignored,
 * because reports of payment services show sent amounts as negative.
 * @returns null when the text is not an amount of the currency, or the amount is not a safe integer
 */
export function parseMajorUnits(text: string, currency: string): number | null {
  const exponent = currencyExponent(currency);
  const [, whole, decimals = ''] = /^-?(\d{1,16})(?:\.(\d{1,4}))?$/.exec(text.replaceAll(/[, ]/g, '')) ?? [];
  if (whole === undefined || /[1-9]/.test(decimals.slice(exponent))) return null;
  const amountCents = Number(whole + decimals.slice(0, exponent).padEnd(exponent, '0'));
  return Number.isSafeInteger(amountCents) ? amountCents : null;
}

/** Formats an amount with its currency for display: "19.90 USD", "1990 JPY", "1.990 KWD". */
export function formatMoney(amountCents: number, currency: string): string {
  return `${formatMajorUnits(amountCents, currency)} ${currency}`;
}
