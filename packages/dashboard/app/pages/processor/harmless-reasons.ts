/** Reasons for ignoring an event of the payment processor that need no action by the user. */
export const HARMLESS_REASONS: readonly string[] = [
  'zero_amount',
  'setup_mode',
  'payment_pending',
  'payment_failed',
  'refund_pending',
  'nothing_to_tie',
  'unsupported_type',
];
