import { AffkitWebhookVerificationError } from '@affkit/node';
import type Stripe from 'stripe';
import { getAffkit } from '../../../../affkit.ts';
import { takeEvent } from '../../../../take-event.ts';

/** Stripe tells of a payment or a refund. What is thrown becomes a 500, and Stripe delivers again. */
export async function POST(request: Request): Promise<Response> {
  const affkit = getAffkit();
  try {
    await takeEvent(affkit, await affkit.webhooks.fromRequest<Stripe.Event>(request));
    return new Response(null, { status: 200 });
  } catch (error) {
    if (!(error instanceof AffkitWebhookVerificationError)) throw error;
    return Response.json({ reason: error.reason }, { status: 400 });
  }
}
