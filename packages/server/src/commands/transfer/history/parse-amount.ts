import { currencyExponent, MAX_AMOUNT_CENTS } from '@affkit/protocol';

export interface AmountRules {
  readonly currency: string;
  /** `minor`: `1250` is 12.50 USD. `major`: `12.50` is 12.50 USD. */
  readonly unit: 'minor' | 'major';
  /** Whether the file separates cells by semicolons, as spreadsheets with a decimal comma do. */
  readonly hasDecimalComma: boolean;
}

/** Why a cell is not an amount. */
export class AmountError extends Error {
  override readonly name: string = 'AmountError';
}

/** A currency code or symbol before or after the digits, such as `$`, `CA$`, or `USD`. */
const SYMBOL = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})?`;
const MONEY = new RegExp(String.raw`^${SYMBOL}\s*([+\-−])?\s*${SYMBOL}\s*(\d[\d.,\s]*)\s*${SYMBOL}$`, 'u');

/**
 * Reads an amount without floating point, and returns it in the smallest unit of its currency.
 * @throws AmountError when the text is not an amount that can be stored
 */
export function parseAmount(text: string, rules: AmountRules): number {
  const [, sign, digits] = MONEY.exec(text.trim()) ?? [];
  if (digits === undefined) throw new AmountError(`${quote(text)} is not an amount`);
  if (sign === '-' || sign === '−') throw new AmountError(`The amount ${quote(text)} is negative`);
  const { whole, decimals } = splitNumber(digits.trim(), rules.hasDecimalComma, text);
  const exponent = rules.unit === 'minor' ? 0 : currencyExponent(rules.currency);
  if (/[1-9]/.test(decimals.slice(exponent))) {
    throw new AmountError(
      rules.unit === 'minor'
        ? `${quote(text)} has decimals, but amounts of this file are in the smallest unit of ${rules.currency}. If they are not, use --amounts major`
        : `${quote(text)} has more decimals than ${rules.currency}`,
    );
  }
  const cents = BigInt(whole + decimals.slice(0, exponent).padEnd(exponent, '0'));
  if (cents > BigInt(MAX_AMOUNT_CENTS)) throw new AmountError(`The amount ${quote(text)} is too large`);
  return Number(cents);
}

/**
 * Separates the decimals. A separator with three digits after it groups digits, unless it is the decimal separator
 * of the file. Any other single separator begins the decimals.
 */
function splitNumber(digits: string, hasDecimalComma: boolean, text: string) {
  const [decimal, group] = hasDecimalComma ? [',', '.'] : ['.', ','];
  const compact = digits.replaceAll(/\s/g, '');
  const read = (point: string, grouping: string) => {
    const pattern = new RegExp(String.raw`^(\d{1,3}(?:[${grouping}]\d{3})+|\d+)(?:[${point}](\d+))?$`);
    const [, whole, decimals = ''] = pattern.exec(compact) ?? [];
    return whole === undefined ? null : { whole: whole.replaceAll(grouping, ''), decimals };
  };
  const number = read(decimal, group) ?? read(group, decimal);
  if (number === null) throw new AmountError(`${quote(text)} is not an amount`);
  return number;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
