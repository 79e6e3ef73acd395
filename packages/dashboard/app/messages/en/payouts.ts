import { isolate } from '../../format/isolate.ts';
import { formatCount } from '../../format/number.ts';
import { plural } from './plural.ts';

const countOf = (count: number): string => plural(count, 'payout', 'payouts');

export const search = 'Search payouts';
export const searchExample = 'Partner or reference';
export const none =
  'No payouts yet. A payout contains all payable commissions of a partner, in one currency.';
export const noMatch = 'No payouts match these filters.';
export const inBatch = (id: number): string => `In batch ${id}`;
export const makeCount = (count: number): string => `Make a batch of ${formatCount(count)}`;
export const paidOn = 'Paid';
export const reference = 'Reference';
export const ledgerEntry = 'Ledger entry';
export const notSealed = 'Not sealed yet. The entry is added to the hash chain within a minute.';
export const hashOf = (position: number): string => `Hash of entry ${position}`;

export const pay = 'Pay partners';
export const nobody = 'No partner has a payable amount. Commissions become payable when their hold ends.';
export const nobodyReachesMinimum =
  'No partner has a payable amount that reaches the minimum. Commissions become payable when their hold ends. To pay smaller amounts, enter a lower minimum.';
export const createCount = (count: number): string => `Create ${countOf(count)}`;
export const created = (count: number, left: number): string => {
  const next = `Mark ${count === 1 ? 'it' : 'them'} as paid when you have sent the money.`;
  const changed = `${countOf(left)} ${left === 1 ? 'was' : 'were'} not created, because the payable amounts have changed. Check the list of payouts.`;
  return [`${countOf(count)} created.`, ...(left > 0 ? [changed] : []), ...(count > 0 ? [next] : [])].join(
    ' ',
  );
};
export const alreadyConfirmed =
  'The payouts of this month were already confirmed, so no further payouts were created. Check the list of payouts.';
export const minimum = 'Minimum payout (optional)';
export const minimumHint = (example: string): string =>
  `Smaller amounts stay in the partner’s balance. If empty, the minimums in the settings apply. Every currency uses the same number of its smallest unit: ${example} means $25.00, €25.00, or ¥2,500.`;
export const preview = 'What each partner gets now';
export const unlisted = (count: number): string =>
  `${countOf(count)} more ${count === 1 ? 'is' : 'are'} included, but not listed here.`;
export const total = 'Total';

export const markCount = (count: number): string => `Mark ${formatCount(count)} as paid`;
export const markPaidWithDialog = 'Mark as paid…';

export const actionsFor = (partner: string): string => `Actions for the payout to ${partner}`;
export const payoutCommissions = 'Commissions of this payout';
export const partnerCommissions = 'Commissions of the partner';
export const cancelWithDialog = 'Cancel…';
export const cancel = 'Cancel the payout';
export const cancelTitle = 'Cancel this payout?';
export const cancelWarning = (amount: string, partner: string): string =>
  `The ${amount} for ${isolate(partner)} becomes payable again. Make sure that the money was not sent.`;
