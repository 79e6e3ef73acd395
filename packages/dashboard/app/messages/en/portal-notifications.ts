import { isolate } from '../../format/isolate.ts';
export const none = 'No notifications yet. Refunds, corrections, and payouts appear here.';

/** The text for each kind of notification in the API. */
export const titles = {
  commission_reversed: 'A commission was taken back',
  commission_refunded: 'A refund reduced a commission',
  commission_restored: 'A commission was restored',
  commission_rejected: 'A commission was rejected',
  commission_adjusted: 'A commission was corrected',
  commission_disputed: 'A commission is on hold',
  commission_released: 'A commission is no longer on hold',
  payout_paid: 'A payout was sent to you',
  payout_details_changed: 'Your payout details were changed',
  application_approved: 'Your application was accepted',
  application_rejected: 'Your application was not accepted',
} as const;

const because = (reason: string | null): string => (reason === null ? '' : ` Reason: ${isolate(reason)}`);

export const reversed = (amount: string, commission: string, reason: string | null): string =>
  `The sale was refunded in full, so ${amount} of commission ${commission} was taken back.${because(reason)}`;
export const refunded = (amount: string, commission: string, reason: string | null): string =>
  `The sale was refunded in part, so ${amount} of commission ${commission} was taken back.${because(reason)}`;
export const restored = (amount: string, commission: string): string =>
  `A refund of the customer failed, so ${amount} was added back to commission ${commission}.`;
export const rejected = (amount: string, commission: string): string =>
  `The advertiser rejected commission ${commission} of ${amount}.`;
export const raised = (amount: string, commission: string, reason: string | null): string =>
  `The advertiser raised commission ${commission} by ${amount}.${because(reason)}`;
export const lowered = (amount: string, commission: string, reason: string | null): string =>
  `The advertiser lowered commission ${commission} by ${amount}.${because(reason)}`;
export const disputed = (amount: string, commission: string): string =>
  `The customer disputes the payment. Commission ${commission} of ${amount} is on hold until the dispute ends.`;
export const released = (amount: string, commission: string): string =>
  `The dispute is over. Commission ${commission} of ${amount} is no longer on hold.`;
export const paid = (amount: string, reference: string | null): string =>
  `${amount} was sent to you.${reference === null ? '' : ` Reference: ${isolate(reference)}`}`;
export const detailsChanged = (fields: string): string =>
  `Changed: ${fields}. If you did not change them, change your password, sign out everywhere else, and tell the advertiser.`;
export const detailsDeleted =
  'Your payout details were deleted. If you did not delete them, change your password, sign out everywhere else, and tell the advertiser.';
export const unknownField = 'an unknown field';
export const applicationApproved = 'You can create links now.';
export const applicationRejected = (reason: string | null): string =>
  reason === null ? 'The advertiser gave no reason.' : `Reason: ${isolate(reason)}`;

export const openPayout = 'Open the payout';
export const openDetails = 'Check the details';
