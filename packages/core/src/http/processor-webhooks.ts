import { receiveWebhook } from '../processor/receive-webhook.ts';
import { isRejection, Unavailable } from '../rejection.ts';
import { readRowId } from './fields.ts';
import type { HttpRequest } from './message.ts';
import { MAX_BODY_BYTES, type Route, route } from './route.ts';

export const WEBHOOK_PATH = '/api/v1/webhooks/processor/:connectionId';

const MEBIBYTE = 1024 * 1024;
/** An invoice with all its lines is far larger than what other routes take. */
const MAX_WEBHOOK_BYTES = MEBIBYTE;
/** Of bodies that are larger than what other routes take: anybody may send them, for the signature is over all of it. */
const MAX_LARGE_MEBIBYTES = 32;

export function processorWebhookRoutes(): Route[] {
  let largeBytes = 0;
  const take = (bytes: number) => {
    if (largeBytes + bytes > MAX_LARGE_MEBIBYTES * MEBIBYTE) {
      throw new Unavailable(`${MAX_LARGE_MEBIBYTES} MiB of large webhooks are under way already`);
    }
    largeBytes += bytes;
  };
  return [
    route({
      method: 'POST',
      path: WEBHOOK_PATH,
      access: { kind: 'public' },
      readsBytes: true,
      handle: async (runtime, { params, request, readBytes }) => {
        const connectionId = readRowId(params['connectionId']);
        if (isRejection(connectionId)) return connectionId;
        let taken = 0;
        try {
          const decided = await receiveWebhook(runtime, connectionId, {
            readBytes: async () => {
              const limit = limitOf(request);
              if (limit > MAX_BODY_BYTES) {
                take(limit);
                taken = limit;
              }
              return await readBytes(limit);
            },
            signature: request.header('stripe-signature'),
          });
          if (isRejection(decided)) return decided;
          const { outcome, reason } = decided;
          return { body: { success: true, received: true, outcome, ...(reason !== null && { reason }) } };
        } finally {
          largeBytes -= taken;
        }
      },
    }),
  ];
}

/** How large the body may be: as large as it says, that no more is counted for it than it may come to. */
function limitOf(request: HttpRequest): number {
  const length = Number(request.header('content-length'));
  return length <= MAX_WEBHOOK_BYTES ? Math.max(length, MAX_BODY_BYTES) : MAX_WEBHOOK_BYTES;
}
