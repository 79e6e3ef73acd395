import { currencyExponent } from '@affkit/protocol/currency-exponent';
import { locale } from '#messages/locale.ts';

const formats = new Map<string, Intl.NumberFormat>();

function currencyFormatOf(
  currency: string,
  notation: 'standard' | 'compact' = 'standard',
): Intl.NumberFormat {
  const key = `${notation} ${currency}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      notation,
      minimumFractionDigits: currencyExponent(currency),
      maximumFractionDigits: currencyExponent(currency),
      // Two significant digits show each tick of an axis exactly, even a tick below a tenth of the currency's unit.
      // If this option is set, it takes precedence over the fraction digits.
      maximumSignificantDigits: notation === 'compact' ? 2 : undefined,
    });
  formats.set(key, format);
  return format;
}

/** Formats an amount in the smallest unit of its currency: `1999, 'EUR'` is `€19.99`. */
export function formatMoney(amountCents: number, currency: string): string {
  const decimals = currencyExponent(currency);
  const digits = String(Math.abs(amountCents)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? '' : `.${digits.slice(-decimals)}`;
  // The formats of `Intl` have a hyphen instead of a minus sign.
  const sign = amountCents < 0 ? '−' : '';
  // A decimal string keeps every digit. A division could lose digits.
  return sign + currencyFormatOf(currency).format(`${whole}${fraction}` as Intl.StringNumericLiteral);
}

/** Formats an amount for an axis: 123456 cents become `$1.2K`. The exact value must be shown elsewhere. */
export function formatMoneyCompact(amountCents: number, currency: string): string {
  return currencyFormatOf(currency, 'compact')
    .format(amountCents / 10 ** currencyExponent(currency))
    .replace('-', '−');
}
