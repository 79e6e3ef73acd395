import { type Affkit, AffkitWebhookVerificationError } from '@affkit/node';
import { attachTracking } from '@affkit/node/stripe';
import express from 'express';
import type Stripe from 'stripe';
import { handleStripeEvent } from './handle-stripe-event.ts';

/** The dependencies of the app. */
export interface AppOptions {
  readonly affkit: Affkit;
  readonly stripe: Stripe;
  readonly programId: number;
}

/**
 * A shop's backend: `POST /checkout/:mode` starts a payment, `POST /webhooks/stripe` receives the events of
 * Stripe.
 */
export function createApp({ affkit, stripe, programId }: AppOptions): express.Express {
  const app = express();

  // Register this route before the body parser, because the signature covers the raw bytes of the body.
  app.post('/webhooks/stripe', async (request, response) => {
    const event = await affkit.webhooks.fromRequest<Stripe.Event>(request);
    await handleStripeEvent(affkit, event);
    response.sendStatus(200);
  });

  app.use(express.json());

  app.post('/checkout/:mode', async (request, response) => {
    const mode = request.params.mode === 'subscription' ? 'subscription' : 'payment';
    const { price, userId, clickId } = request.body;
    const params: Stripe.Checkout.SessionCreateParams = {
      mode,
      line_items: [{ price, quantity: 1 }],
      success_url: 'https://shop.test/thanks',
    };
    const tracked = attachTracking(params, { programId, clickId, customerKey: userId });
    const session = await stripe.checkout.sessions.create(tracked);
    response.json({ url: session.url });
  });

  const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
    if (error instanceof AffkitWebhookVerificationError) {
      response.status(400).json({ reason: error.reason });
    } else {
      // Stripe redelivers the event after a 500.
      response.status(500).json({ error: 'The event could not be processed. Try again later.' });
    }
  };
  return app.use(onError);
}
