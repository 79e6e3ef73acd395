/**
 * Whether a Stripe id is the id of a subscription. A subscription can have many payments. All other Stripe ids that
 * are stored as references identify a single payment.
 */
export function isSubscription(ref: string): boolean {
  return ref.startsWith('sub_');
}
