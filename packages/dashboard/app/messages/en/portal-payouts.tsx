import type { ComponentChildren, JSX } from 'preact';
import { isolate } from '../../format/isolate.ts';
import { plural } from './plural.ts';

export const none =
  'No payouts yet. Your earnings become payable when the time for refunds has passed. The advertiser then pays them to you.';
export const toDetails = 'Check your payout details';
export const noMatch = 'No payouts match these filters.';
export const payoutNumber = (id: number): string => `Payout ${id}`;
export const paidOn = 'Paid';
export const reference = 'Reference';

/** The text for each status of a payout in the API. */
export const meanings = {
  pending: 'The advertiser has created this payout, but has not marked it as paid yet.',
  paid: 'The advertiser has sent this amount to you.',
  cancelled: 'The advertiser has canceled this payout. Its commissions are payable again.',
} as const;

export const commissions = (count: number): string =>
  count === 0 ? 'Commissions' : `Commissions (${count})`;
export const noCommissions = 'This payout contains no commissions.';
export const ledger = 'Position in the ledger';
export const ledgerEntry = 'Ledger entry';
export const ledgerHash = 'Hash';
export const ledgerHint =
  'Keep this hash. With it, you can prove any later change to an earlier entry of the program’s ledger.';
export const notSealed = 'Not sealed yet. The entry is added to the hash chain within a minute.';
export const receipt = 'Receipt';
export const createdAt = 'Created';
export const canceledAt = 'Canceled';

export const print = 'Print or save as PDF';
export const receiptTitle = (id: number): string => `Receipt ${id}`;
export const number = 'Number';
export const date = 'Date';
export const payer = 'From';
export const payee = 'To';
export const taxId = (id: string): string => `Tax number: ${isolate(id)}`;
export const addDetails =
  'To show your tax name and address on receipts, add them to your payout details before you are paid.';
export const method = 'Method';
export const unpaidReceipt =
  'This payout is not paid yet. The receipt is available as soon as the advertiser marks the payout as paid.';
export const commission = 'Commission';
export const furtherCommissions = (count: number): string =>
  plural(count, 'more commission', 'more commissions');
/** A payout can be less or more than its commissions are worth now. Each case has two possible causes. */
export const differenceOf = (cents: number): string =>
  cents < 0
    ? 'Deductions before this payout, or additions after it'
    : 'Additions before this payout, or deductions after it';
export const total = 'Total paid';
export const made = (program: string, time: JSX.Element): ComponentChildren => (
  <>
    Commissions of the partner program “<bdi>{program}</bdi>”. All dates are in UTC. Printed {time}.
  </>
);
