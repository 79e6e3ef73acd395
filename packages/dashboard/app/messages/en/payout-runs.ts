import { plural } from './plural.ts';

/** @param sums the payable amounts, or an empty text if they could not be loaded */
export const due = (month: string, sums: string, count: number): string =>
  `The payouts of ${month} are due${sums && `: ${sums}, ${plural(count, 'payout', 'payouts')}`}.`;
export const nothingDue = (month: string): string =>
  `The payouts of ${month} were proposed, but nothing is payable now.`;
export const dueNow = 'The payouts contain all payable amounts that reach the minimum payout.';
export const ownerConfirms = 'An owner of the workspace has to confirm them.';
export const confirm = 'Create the payouts';
export const dismiss = 'Not this month';
