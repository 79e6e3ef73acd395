import { isolate } from '../../format/isolate.ts';
import { plural } from './plural.ts';

const countOf = (count: number): string => plural(count, 'commission', 'commissions');

export const search = 'Search commissions';
export const searchExample = 'Start of a transaction id';
export const noMatch = 'No commissions match these filters.';
export const none = 'No commissions yet. The first sale to a customer of a partner appears here.';
export const all = 'All';
export const ofPayout = (id: string): string => `Payout ${id}`;
export const disputed = 'Disputed';
export const needsApproval = 'Needs approval';
export const includesInReview = (count: number): string =>
  `Includes ${countOf(count)} that ${count === 1 ? 'needs' : 'need'} approval.`;
export const payableFrom = 'Payable from';

export const approved = (count: number): string => `${countOf(count)} approved.`;
export const rejected = (count: number): string => `${countOf(count)} rejected.`;
export const bulkRejectTitle = (count: number, amounts: string): string =>
  `Reject ${countOf(count)} (${amounts})?`;
export const bulkRejectWarning = 'The partners earn nothing for these sales. A rejection cannot be undone.';

export const approveTitle = (count: number, amounts: string): string =>
  `Approve ${countOf(count)} (${amounts})?`;
export const approveOnHold = 'These commissions become payable now, before their refund hold ends.';
export const approveWarning = 'These commissions become payable now.';
export const afterApproval = 'After approval';
export const afterDispute = 'After the dispute';

export const isApproved = (sale: string): string => `The commission of ${isolate(sale)} is approved.`;
export const approveWithDialog = 'Approve…';
export const rejectWithDialog = 'Reject…';
export const rejectTitle = 'Reject this commission?';
export const rejectWarning = (partner: string, sale: string): string =>
  `${isolate(partner)} earns nothing for the sale ${isolate(sale)}. A rejection cannot be undone.`;

export const sortedByOriginal = 'Sorted by the original amounts, before refunds and corrections.';

export const adjust = 'Adjust';
export const adjustWithDialog = 'Adjust…';
export const adjustTitle = 'Adjust this commission';
export const adjustSale = (partner: string, sale: string, amount: string): string =>
  `${isolate(partner)} earns ${amount} for the sale ${isolate(sale)}.`;
export const adjustHint = (left: string | null): string =>
  `A positive amount raises the commission. ${left === null ? 'Nothing is left that you can subtract.' : `A negative amount lowers it, by at most ${left}.`}`;
export const adjustWrong = (more: string, less: string | null): string =>
  `Enter ${less === null ? `a positive amount, such as ${more}` : `an amount that is not 0, such as ${more} or ${less}`}, without thousands separators.`;
export const adjustLost =
  'No reply arrived, so the commission may have been adjusted. If you try again without changes, it is adjusted only once.';
export const alreadyAdjusted =
  'An earlier attempt has already adjusted this commission. Close this dialog to see the result.';
export const subtractAtMost = (amount: string): string => `You can subtract at most ${amount}.`;
export const addAtMost = (amount: string): string => `You can add at most ${amount}.`;
export const reason = 'Reason';
export const reasonHint = 'The partner sees this reason.';
export const reasonMissing = 'Enter a reason.';
export const getsMore = (partner: string, amount: string): string =>
  `${isolate(partner)} gets ${amount} more. The entry stays in the ledger.`;
export const getsLess = (partner: string, amount: string): string =>
  `${isolate(partner)} gets ${amount} less. The entry stays in the ledger.`;
