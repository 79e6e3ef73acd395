import { AffkitWebhookVerificationError } from '@affkit/node';
import type Stripe from 'stripe';
import { getAffkit } from '../../../../affkit.ts';
import { handleStripeEvent } from '../../../../handle-stripe-event.ts';

/**
 * Receives payments and refunds from Stripe. Subscribe the endpoint to `refund.created`, because `charge.refunded` does
 * not contain the ids of the refunds. If this handler throws, the framework responds with 500, and Stripe redelivers
 * the event.
 */
export async function POST(request: Request): Promise<Response> {
  const affkit = getAffkit();
  try {
    await handleStripeEvent(affkit, await affkit.webhooks.fromRequest<Stripe.Event>(request));
    return new Response(null, { status: 200 });
  } catch (error) {
    if (!(error instanceof AffkitWebhookVerificationError)) throw error;
    return Response.json({ reason: error.reason }, { status: 400 });
  }
}
