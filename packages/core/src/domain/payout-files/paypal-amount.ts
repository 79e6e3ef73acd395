import { formatMajorUnits } from '../money.ts';

/**
 * The currencies of https://developer.paypal.com/docs/payouts/standard/reference/country-feature/, except
 * currencies that can only be used within one country.
 */
const CURRENCIES = new Set(
  'AUD CAD CHF CZK DKK EUR GBP HKD HUF ILS JPY MXN NOK NZD PHP PLN SEK SGD THB TWD USD'.split(' '),
);
/** PayPal accepts only whole amounts in these currencies, although ISO 4217 gives them two decimals. */
const WHOLE_UNITS = new Set(['HUF', 'TWD']);

/** @returns why PayPal cannot pay the amount, or null */
export function whyNotPayPalAmount(
  amountCents: number,
  currency: string,
): 'other_currency' | 'unsupported_amount' | null {
  if (!CURRENCIES.has(currency)) return 'other_currency';
  return WHOLE_UNITS.has(currency) && amountCents % 100 !== 0 ? 'unsupported_amount' : null;
}

/** Formats an amount for PayPal. Currencies in which PayPal accepts only whole amounts get no decimals. */
export function formatPayPalAmount(amountCents: number, currency: string): string {
  const text = formatMajorUnits(amountCents, currency);
  return WHOLE_UNITS.has(currency) ? text.replace(/\.00$/, '') : text;
}
