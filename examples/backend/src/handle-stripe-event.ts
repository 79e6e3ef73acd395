import { type Affkit, AffkitError } from '@affkit/node';
import { toTrackCall } from '@affkit/node/stripe';
import type Stripe from 'stripe';

/**
 * Records the sale or refund of a verified Stripe event. If it throws, respond with an error, so that Stripe redelivers
 * the event.
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
    // This example stores no orders, so it cannot know why the sale is missing: it was unattributed, or reporting it
    // failed.
    if (!(error instanceof AffkitError && error.code === 'sale_not_found')) throw error;
  }
}
