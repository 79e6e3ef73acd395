import type { ComponentChildren, JSX } from 'preact';
import { plural } from './plural.ts';

export const none =
  'No payouts yet. The advertiser pays your payable earnings. Earnings on hold become payable when the time for refunds has passed.';
export const toDetails = 'Check your payout details';
export const noMatch = 'No payout matches these filters.';
export const payoutNumber = (id: number): string => `Payout ${id}`;
export const paidOn = 'Paid';
export const reference = 'Reference';

/** The text for each status of a payout in the API. */
export const meanings = {
  pending: 'The advertiser has created this payout and has not marked it as paid yet.',
  paid: 'The advertiser has sent this amount to you.',
  cancelled: 'The advertiser has canceled this payout. Its commissions are payable again.',
} as const;

export const commissions = (count: number): string =>
  count === 0 ? 'Commissions' : `Commissions (${count})`;
export const noCommissions = 'This payout contains no commissions.';
export const ledger = 'Place in the ledger';
export const ledgerEntry = 'Ledger entry';
export const ledgerHash = 'Hash';
export const ledgerHint =
  'The program’s ledger is a chain of hashes. If you keep this hash, a later change to any earlier entry can be proven.';
export const notSealed = 'Not sealed yet. Entries are added to the hash chain within a minute.';
export const receipt = 'Receipt';
export const createdAt = 'Created';
export const canceledAt = 'Canceled';

export const print = 'Print or save as PDF';
export const receiptTitle = (id: number): string => `Receipt ${id}`;
export const number = 'Number';
export const date = 'Date';
export const payer = 'From';
export const payee = 'To';
export const taxId = (id: string): string => `Tax number: ${id}`;
export const addDetails = 'Add your tax name and address to your payout details to see them here.';
export const method = 'Method';
export const unpaidReceipt =
  'This payout is not paid yet. The receipt is available when the advertiser has marked it as paid.';
export const commission = 'Commission';
export const furtherCommissions = (count: number): string =>
  plural(count, 'more commission', 'more commissions');
export const deductedEarlier = 'Deductions from earlier payouts';
export const takenBackLater = 'Paid here, and taken back after this payout';
export const total = 'Total paid';
export const made = (program: string, time: JSX.Element): ComponentChildren => (
  <>
    Commissions of the partner program “{program}”. All dates are in UTC. Printed {time}.
  </>
);
