import { PAYOUT_PROVIDERS } from '@affkit/protocol';
import { z } from 'zod';
import { receivePayoutWebhook } from '../management/payout-webhooks.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { type Route, route } from './route.ts';

const MAX_WEBHOOK_BYTES = 256 * 1024;

/** The fields that the webhooks of all providers have. */
const payoutEvent = z.looseObject({ id: z.string().describe('Id of the event.') });

export const payoutWebhookRoutes: readonly Route[] = PAYOUT_PROVIDERS.map((name) =>
  route({
    method: 'POST',
    path: `/api/v1/webhooks/payouts/${name}`,
    access: { kind: 'public' },
    // For some providers, Affkit must call an API to verify a signature. Without a limit, anyone could cause
    // such calls.
    isRateLimited: true,
    readsBytes: true,
    // The signature covers the raw bytes, so the handler needs the unparsed body.
    body: { parsedByHandler: payoutEvent },
    handle: async (runtime, { request, readBytes }) => {
      if (!runtime.payoutProviders.has(name)) return new Rejection('payout_provider_missing');
      const bytes = await readBytes(MAX_WEBHOOK_BYTES);
      if (bytes === 'too_large') return new Rejection('body_too_large');
      if (isRejection(bytes)) return bytes;
      const header = (headerName: string) => request.header(headerName);
      const known = await receivePayoutWebhook(runtime, name, { header, bytes });
      return isRejection(known) ? known : { body: { success: true, received: true, payouts: known } };
    },
  }),
);
