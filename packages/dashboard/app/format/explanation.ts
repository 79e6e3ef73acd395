import { type ExplanationReader, inPlainWords } from '#messages/explanation.ts';
import { parseMoney } from './amount-input.ts';
import { formatMoney } from './money.ts';

const AMOUNT = /\b(\d{1,15}(?:\.\d{1,4})?) ([A-Z]{3})\b/g;

/**
 * Converts an explanation from the API to the style of this page: `5.00 USD` becomes `$5.00`, and
 * `customer_key` becomes "customer key".
 */
export function formatExplanation(why: string, reader: ExplanationReader = 'advertiser'): string {
  return inPlainWords(why, reader).replaceAll(AMOUNT, (text, digits: string, currency: string) => {
    const amountCents = parseMoney(digits, currency);
    return amountCents === null ? text : formatMoney(amountCents, currency);
  });
}
