import { currencyExponent } from './currency-exponent.ts';

/**
 * Currencies that Stripe sends without decimals. ISK and UGX have no decimals in ISO 4217, but Stripe sends them with
 * two, so they are not in the list. Source: docs.stripe.com/currencies.
 */
const WITHOUT_DECIMALS = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const THREE_DECIMALS = 'BHD JOD KWD OMR TND'.split(' ');

/** Converts an amount from Stripe's unit to the smallest unit of the currency according to ISO 4217. */
export function fromStripeUnits(amount: number, currency: string): number {
  const shift = shiftOf(currency);
  return shift < 0 ? Math.round(amount / 10 ** -shift) : amount * 10 ** shift;
}

/**
 * Converts an amount to Stripe's unit. `amountCents` is in the smallest unit of the currency according to ISO 4217. The
 * result is not an integer if Stripe cannot represent the amount.
 */
export function toStripeUnits(amountCents: number, currency: string): number {
  const shift = shiftOf(currency);
  return shift < 0 ? amountCents * 10 ** -shift : amountCents / 10 ** shift;
}

/** The number of decimals in ISO 4217 minus the number that Stripe uses. */
function shiftOf(currency: string): number {
  const code = currency.toUpperCase();
  const decimals = WITHOUT_DECIMALS.includes(code) ? 0 : THREE_DECIMALS.includes(code) ? 3 : 2;
  return currencyExponent(code) - decimals;
}
