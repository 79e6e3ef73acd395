import type { ApiCall } from './api-call.ts';
import { classifyReply } from './reply.ts';
import type { TrackEndpoint } from './retry.ts';

/** The call of a tracking route. The server records each event once, so every request may be repeated. */
export function trackingCall(operation: TrackEndpoint, body: string): ApiCall<TrackEndpoint> {
  return {
    operation,
    subject: `The ${operation}`,
    path: `/api/v1/track/${operation}`,
    body,
    classify: ({ status, body: reply }) => classifyReply(operation, status, reply),
    isRepeatable: () => true,
    advice: { 401: "Set the option token or AFFKIT_TOKEN to the program's current tracking token" },
    unknownEffect: 'The server may or may not have recorded it. You can safely send it again',
  };
}
