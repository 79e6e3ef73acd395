import { plural } from './plural.ts';

export const byStatus =
  'By status. “Pending” includes amounts in review and on hold. To see them apart, open the';
export const overviewPage = 'overview';
export const countOf = (count: number): string => plural(count, 'commission', 'commissions');

export const search = 'Search your earnings';
export const searchExample = 'Commission or order number';
export const totals = 'Totals by status';
export const none = 'No earnings yet. The first sale through your link appears here.';
export const toLinks = 'Go to your links';
export const noMatch = 'No commissions match these filters.';
export const commissionNumber = (id: number): string => `Commission ${id}`;
export const explain = (id: number): string => `Why? Commission ${id}`;
export const payableFrom = 'Payable from';
export const afterDispute = 'After the dispute';
export const afterReview = 'After a review';
export const disputed = 'Disputed';
export const inReview = 'In review';

export const verdict = 'What you earn';
export const facts = 'This commission';
export const soldOn = 'Sale on';
export const original = 'For the sale';
export const deducted = 'Refunds';
export const adjusted = 'Corrections';
export const deductionReason = 'Reason for the refund';
export const payout = 'Payout';
export const noPayout = 'Not in a payout yet';
export const clickId = 'Click id';

/** The text for each status of a commission in the API. */
export const meanings = {
  pending: 'The sale is recorded. The amount becomes payable when the time for refunds has passed.',
  approved: 'The amount is payable. The advertiser’s next payout contains it.',
  paid: 'The advertiser has paid this amount to you.',
  rejected: 'The advertiser has rejected this commission. You earn nothing for this sale.',
  refunded: 'The customer got part of the price back, so part of your commission was taken back.',
  reversed: 'The sale was refunded in full, so the commission was taken back.',
} as const;
export const disputedMeaning =
  'The customer disputes the payment. The amount is on hold until the dispute ends.';
export const inReviewMeaning =
  'The advertiser is reviewing this commission. It becomes payable after approval.';

export const noTrace =
  'The explanation of this commission is no longer available. Either the customer now belongs to another partner, or the program has ended.';
