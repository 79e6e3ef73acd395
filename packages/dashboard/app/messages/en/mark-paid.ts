import { isolate } from '../../format/isolate.ts';
import { plural } from './plural.ts';

const countOf = (count: number): string => plural(count, 'payout', 'payouts');

export const markPaid = 'Mark as paid';
export const markPaidTitle = (count: number): string =>
  count === 1 ? 'Mark as paid' : `Mark ${countOf(count)} as paid`;
export const markPaidWarning =
  'Send the money first. The partners are notified, and you cannot cancel a payout that is marked as paid.';
export const payoutTo = (partner: string, amount: string): string => `${isolate(partner)}: ${amount}`;
export const referenceOptional = 'Reference of the payment (optional)';
export const markedPaid = (count: number): string =>
  count === 1 ? '1 payout is marked as paid.' : `${countOf(count)} are marked as paid.`;
