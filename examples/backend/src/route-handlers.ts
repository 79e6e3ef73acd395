import { type Affkit, AffkitWebhookVerificationError } from '@affkit/node';
import type Stripe from 'stripe';
import { takeEvent } from './take-event.ts';

/**
 * Handlers for `app/api/signup/route.ts` and `app/api/webhooks/stripe/route.ts` of Next.js, whose files would read
 * `export const POST = createHandlers(affkit).signUp`.
 */
export function createHandlers(affkit: Affkit) {
  return {
    async signUp(request: Request): Promise<Response> {
      const { userId } = (await request.json()) as { userId: string };
      const cookies = request.headers.get('cookie') ?? '';
      const clickId = /(?:^|;\s*)service_click_id=([^;]+)/.exec(cookies)?.[1];
      // Whoever came by nobody's link is no lead.
      if (clickId !== undefined) await affkit.lead({ click_id: clickId, customer_key: userId });
      return Response.json({ userId }, { status: 201 });
    },

    async webhook(request: Request): Promise<Response> {
      try {
        await takeEvent(affkit, await affkit.webhooks.fromRequest<Stripe.Event>(request));
        return new Response(null, { status: 200 });
      } catch (error) {
        if (!(error instanceof AffkitWebhookVerificationError)) throw error;
        return Response.json({ reason: error.reason }, { status: 400 });
      }
    },
  };
}
