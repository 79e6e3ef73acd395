import { isolate } from '../../format/isolate.ts';
import { formatCount } from '../../format/number.ts';

export const markAllRead = 'Mark all as read';
export const markRead = 'Mark as read';
export const shown = 'Shown';
export const all = 'All';
export const onlyUnread = 'Unread';
export const unread = (count: number): string => `${formatCount(count)} unread`;
export const nothingUnread = 'Nothing unread';
export const allRead = 'You have read everything.';
export const none =
  'No notifications yet. You are notified of disputes, of refunds after a commission was paid, and of payments that need your decision.';
/** Added to the title of an unread notification, for screen readers. */
export const isUnread = '(unread)';

export const unknownAmount = 'an unknown amount';
export const withoutId = 'without an id';
export const unknownMonth = 'the month';
export const unknownKind = 'Look it up in the documentation.';

/** The text for each kind of notification in the API. */
export const titles = {
  paid_commission_reversed: 'A refund reduced a paid commission',
  second_refund_skipped: 'A refund could not be deducted',
  refund_parked: 'A refund has no sale yet',
  commission_disputed: 'A customer disputes a payment',
  commission_released: 'A dispute is over',
  lost_dispute_skipped: 'A lost dispute could not be deducted',
  dispute_parked: 'A dispute has no sale yet',
  sale_recorded_twice: 'One payment was recorded as two sales',
  application_received: 'Someone has applied',
  payouts_proposed: 'The monthly payouts are due',
  payouts_failed: 'Payouts have failed',
  payouts_unclear: 'Payouts need your check',
  payouts_contradicted: 'A payout has contradictory results',
  payouts_delayed: 'Payouts are delayed',
  recorded_by_other_program: 'A payment counts for another program',
  webhook_paused: 'A webhook endpoint is paused',
  webhook_failed: 'Webhooks were not delivered',
} as const;

export const paidCommissionReversed = (amount: string, commission: string): string =>
  `The refund takes back ${amount} of commission ${commission}, which was already paid. The partner’s next payout is lower by that amount.`;
export const webhookPaused = (host: string): string =>
  `${host} answered with the status 410 (Gone), so nothing is sent to it until you resume the endpoint.`;
export const webhookFailed = (host: string): string =>
  `Deliveries to ${host} failed for three days and were given up. On the page of the endpoint, you can see why and send them again.`;
export const payoutsFailed = (batch: string, reason: string): string =>
  `Payouts of batch ${batch} were not paid. They are pending again, so that another batch can include them. ${reason}`;
export const payoutsUnclear = (batch: string, reason: string): string =>
  `It is unknown whether payouts of batch ${batch} were paid. They are not sent again, because they could be paid twice. Look them up, and import their results. ${reason}`;
export const payoutsContradicted = (batch: string, reason: string): string =>
  `The payment service later reported a different result for a payout of batch ${batch}, such as a returned payment. Affkit keeps the stored result. Check the payment at the payment service. ${reason}`;
export const payoutsDelayed = (batch: string, reason: string): string =>
  `Payouts of batch ${batch} are not confirmed yet. Affkit repeats each request at least once an hour, and nothing is paid twice. Do not pay them in another way. ${reason}`;
export const reasonIs = (reason: string): string => `Reason: ${isolate(reason)}`;
export const openBatches = 'Open the batches';
export const openPartner = 'Open the partner';
export const openPayouts = 'Open the payouts';
export const openEndpoint = 'Open the endpoint';
export const applicationReceived = (name: string): string =>
  `${name} wants to become a partner. Open the partner’s page to read the application.`;
export const payoutsProposed = (month: string): string =>
  `The payouts of ${month} are ready. An owner has to confirm them on the page Payouts.`;
export const refundSkipped = (amount: string, sale: string): string =>
  `Stripe reported a refund of ${amount} in another currency than sale ${sale}. Adjust its commission by hand.`;
export const refundParked = (amount: string, payment: string): string =>
  `The refund of ${amount} belongs to payment ${payment}. This payment was not reported within 24 hours. If no partner referred the customer, there is nothing to do.`;
export const disputed = (amount: string, sale: string): string =>
  `The commission of ${amount} for sale ${sale} is on hold until the dispute ends. Answer the dispute at Stripe.`;
export const disputedAfterPayout = (amount: string, sale: string): string =>
  `${disputed(amount, sale)} The commission was already paid.`;
export const released = (amount: string, sale: string): string =>
  `The commission of ${amount} for sale ${sale} is no longer on hold.`;
export const disputeSkipped = (amount: string, sale: string): string =>
  `The dispute of ${amount} is in another currency than sale ${sale}. Adjust its commission by hand.`;
export const disputeParked = (amount: string, payment: string): string =>
  `The dispute of ${amount} belongs to payment ${payment}. This payment was not reported within 24 hours. If no partner referred the customer, there is nothing to do.`;
export const recordedTwice = (sale: string, duplicate: string): string =>
  `Sales ${sale} and ${duplicate} are the same payment. Only the first one earns a commission.`;
export const bothCommissionsStay = (sale: string, duplicate: string): string =>
  `Sales ${sale} and ${duplicate} are the same payment. Neither commission can be rejected anymore, so both stay. If one is wrong, adjust it.`;
export const recordedByOther = (payment: string, program: string): string =>
  `Payment ${payment} names this program, but program ${program} recorded it first. Send the same program_id with each report of a payment.`;
