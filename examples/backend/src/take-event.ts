import { type Affkit, AffkitError } from '@affkit/node';
import { toTrackCall } from '@affkit/node/stripe';
import type Stripe from 'stripe';

/** Refusals that mean that nobody referred the customer. */
const NOT_OURS: ReadonlySet<string> = new Set(['sale_customer_not_found', 'sale_not_found']);

/** Sends what a verified event of Stripe asks for. What it throws makes Stripe deliver the event again. */
export async function takeEvent(affkit: Affkit, event: Stripe.Event): Promise<void> {
  const call = toTrackCall(event);
  if (call === null) return;
  try {
    if ('sale' in call) await affkit.sale(call.sale);
    else await affkit.refund(call.refund);
  } catch (error) {
    if (!(error instanceof AffkitError && NOT_OURS.has(error.code))) throw error;
  }
}
