import * as common from '#messages/common.ts';
import * as messages from '#messages/policies.ts';
import { parseMoney, toInput } from '../../format/amount-input.ts';

/** The fields of a commission in the form. */
export interface CommissionDraft {
  readonly type: 'percent' | 'flat';
  readonly rate: string;
  readonly amount: string;
}

/** Error messages by field. */
export type CommissionErrors = Readonly<Partial<Record<'rate' | 'amount', string>>>;

const PERCENT_BPS = 100;

/** Returns a percentage in hundredths of a percent, or null when it is not a percentage from 0 to 100. */
export function rateBpsOf(text: string): number | null {
  const match = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text.trim());
  if (!match) return null;
  const [, whole = '', fraction = ''] = match;
  const bps = Number(whole) * PERCENT_BPS + Number(fraction.padEnd(2, '0'));
  return bps <= 100 * PERCENT_BPS ? bps : null;
}

export function checkCommission({ type, rate, amount }: CommissionDraft, currency: string): CommissionErrors {
  if (type === 'percent') return rateBpsOf(rate) === null ? { rate: messages.percentageWrong } : {};
  return parseMoney(amount, currency) === null ? { amount: common.amountWrong(toInput(1000, currency)) } : {};
}

/** Returns the commission for a request body. The draft must be valid. */
export function commissionBody({ type, rate, amount }: CommissionDraft, currency: string): object {
  return type === 'percent'
    ? { type, rate: (rateBpsOf(rate) ?? 0) / PERCENT_BPS }
    : { type, amount_cents: parseMoney(amount, currency) };
}
