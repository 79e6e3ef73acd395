import * as messages from '#messages/commissions.ts';
import { parseMoney } from '../../format/amount-input.ts';
import { formatMoney } from '../../format/money.ts';
import { type CommissionSums, netCentsOf } from '../../ui/net-sums.ts';

/** The largest commission that the API accepts. */
const MAX_AMOUNT_CENTS = 999_999_999_999;

/** Parses an amount that may have a sign. Returns null when the text is not an amount, or is 0. */
export function parseAdjustment(text: string, currency: string): number | null {
  const [, sign, size = ''] = /^([-+]?)(.*)$/.exec(text.trim()) ?? [];
  const cents = parseMoney(size, currency);
  return cents ? (sign === '-' ? -cents : cents) : null;
}

/** Returns a text with the limit that an adjustment of the commission would exceed, or null if it exceeds none. */
export function describeExcess(commission: CommissionSums, cents: number): string | null {
  const net = netCentsOf(commission);
  const limit = cents < 0 ? net : MAX_AMOUNT_CENTS - net;
  if (Math.abs(cents) <= limit) return null;
  const text = formatMoney(limit, commission.currency);
  return cents < 0 ? messages.subtractAtMost(text) : messages.addAtMost(text);
}
