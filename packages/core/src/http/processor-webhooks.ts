import { receiveWebhook } from '../processor/receive-webhook.ts';
import { isRejection } from '../rejection.ts';
import { readRowId } from './fields.ts';
import { type Route, route } from './route.ts';

export const WEBHOOK_PATH = '/api/v1/webhooks/processor/:connectionId';

/** An invoice with all its lines is far larger than what other routes take. */
const MAX_WEBHOOK_BYTES = 1024 * 1024;

export const processorWebhookRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: WEBHOOK_PATH,
    access: { kind: 'public' },
    readsBytes: true,
    handle: async (runtime, { params, request }) => {
      const connectionId = readRowId(params['connectionId']);
      if (isRejection(connectionId)) return connectionId;
      const decided = await receiveWebhook(runtime, connectionId, {
        readBytes: () => request.body(MAX_WEBHOOK_BYTES),
        signature: request.header('stripe-signature'),
      });
      if (isRejection(decided)) return decided;
      const { outcome, reason } = decided;
      return { body: { success: true, received: true, outcome, ...(reason !== null && { reason }) } };
    },
  }),
];
