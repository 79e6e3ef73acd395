import type { Tone } from '../../ui/state.tsx';

export interface OutcomeText {
  readonly text: string;
  readonly tone: Tone;
  /** What to do about it, or null for nothing. */
  readonly next: string | null;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  sale_recorded: 'Sale recorded',
  duplicate: 'Known already',
  refunded: 'Refund applied',
  refund_skipped: 'Refund without effect',
  refund_failed: 'Failed refund given back',
  dispute_held: 'Dispute: commission on hold',
  dispute_released: 'Dispute over',
  dispute_lost: 'Lost dispute deducted',
  dispute_skipped: 'Dispute without effect',
  parked: 'Waits for its payment',
  tied: 'Ids of one payment connected',
  test_recorded: 'Test sale recorded',
  ignored: 'Ignored',
};

const NEXT: Readonly<Record<string, string>> = {
  metadata_missing: 'The payment names no program or customer. Set the metadata when you create it.',
  test_event: 'The payment was made in test mode, and this connection is for live mode.',
  live_event: 'The payment was made in live mode, and this connection is for test mode.',
  other_account: 'The payment belongs to another Stripe account. Check the account of this connection.',
  program_not_found: 'The payment names a program that does not exist. Check program_id in the metadata.',
  foreign_program: 'The payment names a program of another workspace. Connect Stripe in that workspace.',
  sale_customer_not_found: 'No sign-up of this customer is known, so no partner can be credited.',
  no_affiliate_attribution: 'No click of this customer is known, so no partner can be credited.',
  no_partner_program: 'The partner of this customer is not in the program.',
  partner_required: 'The partner of this customer is not approved.',
  recorded_by_other_program: 'Another program recorded the payment. Send one program_id with each payment.',
  currency_differs: 'It has another currency than the sale. Adjust the commission by hand.',
  credit_note_without_refund: 'The credit note refunds nothing. Select the event refund.created, too.',
};

/** Reasons for ignoring an event that need no attention. */
const QUIET = new Set([
  'zero_amount',
  'setup_mode',
  'payment_pending',
  'payment_failed',
  'refund_pending',
  'nothing_to_tie',
  'unsupported_type',
]);

/** What became of a webhook, in words. A code of a later version is shown as it is. */
export function describeOutcome(outcome: string, reason: string | null): OutcomeText {
  const text = OUTCOMES[outcome] ?? outcome;
  const next = reason === null ? null : (NEXT[reason] ?? null);
  if (next !== null) return { text, tone: 'warn', next };
  if (outcome !== 'ignored') return { text, tone: 'good', next };
  return { text, tone: reason !== null && QUIET.has(reason) ? 'info' : 'warn', next };
}
