/**
 * Whether a Stripe id belongs to a subscription, which has many payments. All other references identify a
 * single payment.
 */
export function isSubscription(ref: string): boolean {
  return ref.startsWith('sub_');
}
