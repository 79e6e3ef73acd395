import { z } from 'zod';
import { networkOf } from '../access/network.ts';
import { receiveWebhook } from '../processor/receive-webhook.ts';
import { isRejection } from '../rejection.ts';
import { LargeBodyLimiter } from './large-body-limiter.ts';
import { withRequestId } from './log-request-id.ts';
import { type Route, route } from './route.ts';

export const WEBHOOK_PATH = '/api/v1/webhooks/processor/:connectionId';

/** An invoice event contains all lines of the invoice, so it can be far larger than other bodies. */
const MAX_WEBHOOK_BYTES = 1024 * 1024;
/** The fields that events of all types have. */
const processorEvent = z.looseObject({
  id: z.string().describe('Id of the event. Each connection applies an event once.'),
  type: z.string().describe('Type of the event, e.g. `checkout.session.completed`.'),
  created: z.number().describe('When the event took place, in epoch seconds.').optional(),
  data: z
    .looseObject({ object: z.looseObject({}).describe('The object in its state at that time.') })
    .describe('Subject of the event.')
    .optional(),
});

export function processorWebhookRoutes(): Route[] {
  const limiter = new LargeBodyLimiter();
  return [
    route({
      method: 'POST',
      path: WEBHOOK_PATH,
      access: { kind: 'public' },
      readsBytes: true,
      // The signature covers the raw bytes, so the handler must check the signature before it parses the body.
      body: { parsedByHandler: processorEvent },
      handle: async (runtime, { params, request, requestId, readBytes }) => {
        const limitedBody = limiter.open(networkOf(request.ip ?? 'unknown'));
        try {
          const decided = await receiveWebhook(withRequestId(runtime, requestId), params.connectionId, {
            readBytes: () => limitedBody.read((reading) => readBytes(MAX_WEBHOOK_BYTES, reading)),
            signature: request.header('stripe-signature'),
          });
          if (isRejection(decided)) return decided;
          const { outcome, reason } = decided;
          return { body: { success: true, received: true, outcome, ...(reason !== null && { reason }) } };
        } finally {
          limitedBody.release();
        }
      },
    }),
  ];
}
