/**
 * Whether a Stripe id is the id of a subscription. A subscription has many payments. All other references
 * identify a single payment.
 */
export function isSubscription(ref: string): boolean {
  return ref.startsWith('sub_');
}
