/** Is it a processor's subscription, which has many payments? Every other id tells a single one. */
export function isSubscription(ref: string): boolean {
  return ref.startsWith('sub_');
}
