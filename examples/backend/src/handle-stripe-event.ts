import { type Affkit, AffkitError } from '@affkit/node';
import { toTrackCall } from '@affkit/node/stripe';
import type Stripe from 'stripe';

/** Error codes which mean that no approved partner referred the customer, so there is nothing to record. */
const NO_PARTNER: ReadonlySet<string> = new Set([
  'sale_customer_not_found',
  'no_affiliate_attribution',
  'no_partner_program',
  'partner_required',
  'sale_not_found',
]);

/** Records the sale or refund of a verified Stripe event. If it throws, Stripe must redeliver the event. */
export async function handleStripeEvent(affkit: Affkit, event: Stripe.Event): Promise<void> {
  const call = toTrackCall(event);
  if (call === null) return;
  try {
    if ('sale' in call) await affkit.sale(call.sale);
    else await affkit.refund(call.refund);
  } catch (error) {
    if (!(error instanceof AffkitError && NO_PARTNER.has(error.code))) throw error;
  }
}
