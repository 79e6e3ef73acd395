import { currencyExponent } from '@affkit/protocol/currency-exponent';

/**
 * Parses an amount that a user has entered. The result is in the smallest unit of the currency.
 * @returns null when the text is not a number, the number is too large or has more decimal places than the currency, or
 * a comma precedes three digits, because it may separate thousands
 */
export function parseMoney(text: string, currency: string): number | null {
  const match = /^(\d{1,13})(?:([.,])(\d+))?$/.exec(text.trim());
  if (!match) return null;
  const decimals = currencyExponent(currency);
  const [, whole = '', separator, fraction = ''] = match;
  if (fraction.length > decimals || (separator === ',' && fraction.length === 3)) return null;
  const amount = Number(whole + fraction.padEnd(decimals, '0'));
  return Number.isSafeInteger(amount) ? amount : null;
}

/** Formats an amount for an input field, so that `parseMoney` can parse it. */
export function toInput(amountCents: number, currency: string): string {
  const decimals = currencyExponent(currency);
  if (decimals === 0) return String(amountCents);
  const digits = String(amountCents).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
