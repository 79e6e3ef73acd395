import { z } from 'zod';
import { receiveWebhook } from '../processor/receive-webhook.ts';
import { isRejection, Unavailable } from '../rejection.ts';
import { withRequestId } from './log-request-id.ts';
import type { HttpRequest } from './message.ts';
import { MAX_BODY_BYTES, type Route, route } from './route.ts';

export const WEBHOOK_PATH = '/api/v1/webhooks/processor/:connectionId';

const MEBIBYTE = 1024 * 1024;
/** An invoice with all its lines is far larger than the bodies of other routes. */
const MAX_WEBHOOK_BYTES = MEBIBYTE;
/**
 * Limit for the total size of bodies in flight that exceed `MAX_BODY_BYTES`. Anyone can send them, and a body
 * cannot be verified before it is complete.
 */
const MAX_LARGE_MEBIBYTES = 32;

/** The fields of an event that every event type has. */
const processorEvent = z.looseObject({
  id: z.string().describe('Id of the event. Each connection applies an event once.'),
  type: z.string().describe('Type of the event, e.g. `checkout.session.completed`.'),
  created: z.number().describe('When the event took place, in epoch seconds.').optional(),
  data: z
    .looseObject({ object: z.looseObject({}).describe('The object as it was at that time.') })
    .describe('Subject of the event.')
    .optional(),
});

export function processorWebhookRoutes(): Route[] {
  let largeBytes = 0;
  const reserve = (bytes: number) => {
    if (largeBytes + bytes > MAX_LARGE_MEBIBYTES * MEBIBYTE) {
      throw new Unavailable(`${MAX_LARGE_MEBIBYTES} MiB of large webhook bodies are already in flight`);
    }
    largeBytes += bytes;
  };
  return [
    route({
      method: 'POST',
      path: WEBHOOK_PATH,
      access: { kind: 'public' },
      readsBytes: true,
      // The signature covers the raw bytes, which must be checked before they are parsed.
      body: { parsedByHandler: processorEvent },
      handle: async (runtime, { params, request, requestId, readBytes }) => {
        let reserved = 0;
        try {
          const decided = await receiveWebhook(withRequestId(runtime, requestId), params.connectionId, {
            readBytes: async () => {
              const limit = limitOf(request);
              if (limit > MAX_BODY_BYTES) {
                reserve(limit);
                reserved = limit;
              }
              return await readBytes(limit);
            },
            signature: request.header('stripe-signature'),
          });
          if (isRejection(decided)) return decided;
          const { outcome, reason } = decided;
          return { body: { success: true, received: true, outcome, ...(reason !== null && { reason }) } };
        } finally {
          largeBytes -= reserved;
        }
      },
    }),
  ];
}

/** Uses the declared length as the limit, so that a small body does not reserve the maximum. */
function limitOf(request: HttpRequest): number {
  const length = Number(request.header('content-length'));
  return length <= MAX_WEBHOOK_BYTES ? Math.max(length, MAX_BODY_BYTES) : MAX_WEBHOOK_BYTES;
}
