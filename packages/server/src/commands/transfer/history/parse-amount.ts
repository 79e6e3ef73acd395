import { currencyExponent, MAX_AMOUNT_CENTS } from '@affkit/protocol';

export interface AmountRules {
  readonly currency: string;
  /** `minor`: `1250` is 12.50 USD. `major`: `12.50` is 12.50 USD. */
  readonly unit: 'minor' | 'major';
  /** Whether the file separates cells by semicolons, as spreadsheets with a decimal comma do. */
  readonly hasDecimalComma: boolean;
}

/** Thrown when a cell is not an amount. The message says why. */
export class UnreadableAmountError extends Error {
  override readonly name: string = 'UnreadableAmountError';
}

/** A currency code or symbol before or after the digits, such as `$`, `CA$`, or `USD`. */
const LEADING_SYMBOL = /^(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})/u;
const TRAILING_SYMBOL = /(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})$/u;
const SIGN = /^[+\-−]/u;
const DECIMAL_POINT = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/;
const DECIMAL_COMMA = /^(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d+))?$/;
/** Longer texts are rejected. Every amount that can be stored is shorter. */
const MAX_LENGTH = 60;

/**
 * Reads an amount without floating point, and returns it in the smallest unit of its currency.
 * @throws UnreadableAmountError when the text is not an amount that can be stored
 */
export function parseAmount(text: string, rules: AmountRules): number {
  const compact = text.length > MAX_LENGTH ? '' : text.replaceAll(/\s/g, '');
  const symbols: string[] = [];
  const removeSymbol = (from: string, pattern: RegExp) =>
    from.replace(pattern, (symbol) => {
      symbols.push(symbol);
      return '';
    });
  const signed = removeSymbol(compact, LEADING_SYMBOL);
  const digits = removeSymbol(removeSymbol(signed.replace(SIGN, ''), LEADING_SYMBOL), TRAILING_SYMBOL);
  const number = splitNumber(digits, rules.hasDecimalComma);
  if (number === null) throw new UnreadableAmountError(`${quote(text)} is not an amount`);
  if (SIGN.test(signed) && !signed.startsWith('+')) {
    throw new UnreadableAmountError(`The amount ${quote(text)} is negative`);
  }
  const foreign = symbols.find((symbol) => !isSymbolOf(symbol, rules.currency));
  if (foreign !== undefined) {
    throw new UnreadableAmountError(
      `${quote(text)} has the symbol ${quote(foreign)}, but its currency is ${rules.currency}`,
    );
  }
  const { whole, decimals } = number;
  const exponent = rules.unit === 'minor' ? 0 : currencyExponent(rules.currency);
  if (/[1-9]/.test(decimals.slice(exponent))) {
    throw new UnreadableAmountError(
      rules.unit === 'minor'
        ? `${quote(text)} has decimals, but amounts of this file are in the smallest unit of ${rules.currency}. If they are not, use --amounts major`
        : `${quote(text)} has more decimals than ${rules.currency}`,
    );
  }
  const cents = BigInt(whole + decimals.slice(0, exponent).padEnd(exponent, '0'));
  if (cents > BigInt(MAX_AMOUNT_CENTS))
    throw new UnreadableAmountError(`The amount ${quote(text)} is too large`);
  return Number(cents);
}

/** Whether a code or a symbol, such as `CAD`, `$`, or `CA$`, can belong to the currency. */
function isSymbolOf(symbol: string, currency: string): boolean {
  if (symbol === currency) return true;
  // A symbol can be in full width. Without the normalization, `￥` would differ from `¥`.
  const text = symbol.normalize('NFKC');
  const [letters] = /^[A-Z]*/.exec(text) ?? [''];
  const sign = text.slice(letters.length);
  const narrow = symbolOf(currency, 'narrowSymbol');
  if (sign === '' || !narrow.includes(sign)) return false;
  // The letters are not always from the code: TWD has `NT$`, and XCD has `EC$`.
  return currency.startsWith(letters) || [narrow, symbolOf(currency, 'symbol')].includes(`${letters}${sign}`);
}

/**
 * Returns the symbol of a currency, or its code if it has none.
 * @param display the symbol of CAD is `CA$`; the narrow one is `$`
 */
function symbolOf(currency: string, display: 'symbol' | 'narrowSymbol'): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: display });
  return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
}

/**
 * Splits a number into its whole part and its decimals. In a file with a decimal point, a point starts the decimals,
 * and commas may separate groups of three digits. In a file with a decimal comma, it is the other way around. If the
 * text does not have this form, the other form is tried. An example is `30,00` in a file with a decimal point.
 */
function splitNumber(digits: string, hasDecimalComma: boolean) {
  const preferred = hasDecimalComma ? DECIMAL_COMMA : DECIMAL_POINT;
  const other = hasDecimalComma ? DECIMAL_POINT : DECIMAL_COMMA;
  const [, whole, decimals = ''] = preferred.exec(digits) ?? other.exec(digits) ?? [];
  return whole === undefined ? null : { whole: whole.replaceAll(/[.,]/g, ''), decimals };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
