import { type Affkit, AffkitWebhookVerificationError } from '@affkit/node';
import { attachTracking } from '@affkit/node/stripe';
import express from 'express';
import type Stripe from 'stripe';
import { takeEvent } from './take-event.ts';

/** What the app is made of. */
export interface Parts {
  readonly affkit: Affkit;
  readonly stripe: Stripe;
  readonly programId: number;
}

/** A shop's backend: `POST /checkout/:mode` begins a payment, Stripe tells `POST /webhooks/stripe` how it ended. */
export function createApp({ affkit, stripe, programId }: Parts): express.Express {
  const app = express();

  // Before any body parser: the signature is over the bytes.
  app.post('/webhooks/stripe', async (request, response) => {
    const event = await affkit.webhooks.fromRequest<Stripe.Event>(request);
    await takeEvent(affkit, event);
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
      // Stripe delivers again.
      response.status(500).json({ error: 'try again' });
    }
  };
  return app.use(onError);
}
