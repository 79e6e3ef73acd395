/** If an event of the payment processor was ignored for one of these reasons, the user does not have to act. */
export const HARMLESS_REASONS: readonly string[] = [
  'zero_amount',
  'setup_mode',
  'payment_pending',
  'payment_failed',
  'refund_pending',
  'nothing_to_tie',
  'unsupported_type',
];
