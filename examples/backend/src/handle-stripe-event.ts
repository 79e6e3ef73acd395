import { type Affkit, AffkitError } from '@affkit/node';
import { toTrackCall } from '@affkit/node/stripe';
import type Stripe from 'stripe';

/** Error codes which mean that no partner referred the customer. */
const NOT_REFERRED: ReadonlySet<string> = new Set(['sale_customer_not_found', 'sale_not_found']);

/** Records the sale or refund of a verified Stripe event. If it throws, Stripe must redeliver the event. */
export async function handleStripeEvent(affkit: Affkit, event: Stripe.Event): Promise<void> {
  const call = toTrackCall(event);
  if (call === null) return;
  try {
    if ('sale' in call) await affkit.sale(call.sale);
    else await affkit.refund(call.refund);
  } catch (error) {
    if (!(error instanceof AffkitError && NOT_REFERRED.has(error.code))) throw error;
  }
}
