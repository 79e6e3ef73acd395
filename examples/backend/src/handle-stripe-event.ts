import { type Affkit, AffkitError } from '@affkit/node';
import { toTrackCall } from '@affkit/node/stripe';
import type Stripe from 'stripe';

/**
 * Records the sale or refund of a verified Stripe event. If this function throws, respond with an error, so that Stripe
 * redelivers the event.
 */
export async function handleStripeEvent(affkit: Affkit, event: Stripe.Event): Promise<void> {
  const call = toTrackCall(event);
  if (call === null) return;
  if ('sale' in call) {
    await affkit.sale(call.sale);
    return;
  }
  try {
    await affkit.refund(call.refund);
  } catch (error) {
    // Affkit does not know the sale: either no partner referred the customer, or reporting the sale failed. This
    // example stores no orders, so it cannot distinguish the two cases, and ignores the refund.
    if (!(error instanceof AffkitError && error.code === 'sale_not_found')) throw error;
  }
}
