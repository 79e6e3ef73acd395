import type { ComponentChildren, JSX } from 'preact';

export const intro =
  'Stripe reports payments, renewals, refunds, and disputes, so your backend does not need to send them.';
export const none = 'Stripe is not connected. You need your Stripe account and about five minutes.';
export const ended = 'Disconnected';

export const stripe = 'Stripe';
export const waiting = 'Waiting for the first webhook';
export const connected = 'Connected';
export const testMode = 'Test mode';
export const liveMode = 'Live mode';
export const liveModeWithTests = 'Live mode. Test payments are recorded as test sales.';
export const edit = 'Edit';
export const disconnect = 'Disconnect';
export const disconnectTitle = 'Disconnect Stripe?';
export const disconnectWarning =
  'Affkit no longer records payments, renewals, refunds, and disputes from Stripe. Recorded sales and commissions stay. You cannot undo this. To connect again, you need a new webhook address.';

export const account = 'Account';
export const mode = 'Mode';
export const latestWebhook = 'Latest webhook';
export const noWebhook = 'None yet';
export const firstWebhook = 'First webhook';
export const oldSecret = 'Old secret';
export const worksUntil = (time: ComponentChildren): JSX.Element => <>Works until {time}</>;

export const webhookAddress = 'Webhook address';
export const setAddress = '1. At Stripe, set this address for the endpoint';
export const events = 'Events to select at Stripe';
export const selectEvents = '2. Select these events at Stripe';
export const metadata = 'Customer of each payment';
export const setMetadata = '3. Name the customer in each payment';
export const metadataSnippet = 'Metadata of each checkout';
export const programIdExample = 'the id of the program';
export const sameIdComment = 'the same id as in your sign-ups';
export const renewalsComment = 'so that renewals count, too';

/** The purposes of the Stripe events. */
export const purposes = {
  sales: 'Sales',
  subscriptions: 'Subscriptions',
  refunds: 'Refunds',
  disputes: 'Disputes',
  creditNotes: 'Refunds by credit note',
  otherPayments: 'Payments without a checkout',
} as const;

export const connect = 'Connect Stripe';
export const connectSubmit = 'Connect';
export const connectText =
  'At Stripe, open Developers → Webhooks and add an endpoint. Enter any address for now. The next step shows the right one. Then copy the signing secret of the endpoint.';
export const editTitle = 'Edit the connection';
export const secret = 'Signing secret';
export const secretHint = 'Starts with whsec_. It is stored encrypted and never shown again.';
export const newSecretHint =
  'To keep the current secret, leave this field empty. After a change, the old secret works for 24 more hours.';
export const secretMissing = 'Enter the signing secret of the endpoint.';
export const secretInvalid = 'A signing secret has no spaces.';
export const accountId = 'Stripe account id';
export const accountIdHint = 'Starts with acct_. At Stripe, it is under Settings → Account details.';
export const accountIdMissing = 'Enter the account id, such as acct_1A2b3C.';
/** The text for each mode in the API. */
export const modes = { live: 'Live mode', test: 'Test mode or sandbox' } as const;
export const modeHints = {
  live: 'Payments in test mode are ignored.',
  test: 'Test payments are recorded like real ones. Use a separate workspace for them.',
} as const;
export const recordTests = 'Record test payments as test sales';
export const recordTestsHint =
  'Use test sales to check the setup. They earn no commission and do not count in the statistics.';

/** The text for each outcome of a webhook in the API. */
export const outcomes: Readonly<Record<string, string>> = {
  sale_recorded: 'Sale recorded',
  duplicate: 'Already recorded',
  refunded: 'Refund applied',
  refund_skipped: 'Refund without effect',
  refund_failed: 'Refund failed: deduction reversed',
  dispute_held: 'Dispute: commission on hold',
  dispute_released: 'Dispute over',
  dispute_lost: 'Lost dispute deducted',
  dispute_skipped: 'Dispute without effect',
  parked: 'Waiting for its payment',
  tied: 'Linked the ids of a payment',
  test_recorded: 'Test sale recorded',
  ignored: 'Ignored',
};

/** The next step for the user, for each reason of an outcome in the API. */
export const nextSteps: Readonly<Record<string, string>> = {
  metadata_missing: 'The payment names no program or customer. Set the metadata when you create the payment.',
  test_event: 'The payment was made in test mode, and this connection is for live mode.',
  live_event: 'The payment was made in live mode, and this connection is for test mode.',
  other_account: 'The payment belongs to another Stripe account. Check the account of this connection.',
  program_not_found:
    'The program of the payment does not exist, or its import is not finished. Check program_id in the metadata.',
  foreign_program: 'The payment names a program of another workspace. Connect Stripe in that workspace.',
  sale_customer_not_found: 'No sign-up of this customer is known, so no partner can be credited.',
  no_affiliate_attribution:
    'The click id of the payment belongs to another program, so no partner can be credited.',
  no_partner_program: 'The partner of this customer is not in the program.',
  partner_required: 'The partner of this customer is not approved.',
  recorded_by_other_program:
    'Another program recorded the payment. Send the same program_id with each report of a payment.',
  currency_differs:
    'The refund or dispute has another currency than the sale. Adjust the commission by hand.',
  credit_note_without_refund: 'The credit note refunds nothing. Select the event refund.created, too.',
};
