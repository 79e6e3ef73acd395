import type { RequestOutcome } from '../attempt.ts';
import { firstErrorCode } from '../redact.ts';
import { type SendResult, send } from '../send.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { classifyRouteReply } from './classify-reply.ts';
import type { Endpoint } from './endpoint.ts';
import type { ManagementCallOptions, ManagementSettings } from './options.ts';
import { routeTransport } from './route-transport.ts';

/** A reply that the API documents. */
export interface RouteReply extends SendResult {
  readonly body: Readonly<Record<string, unknown>>;
  /** The unread response, if it is a CSV file. */
  readonly file: TransportResponse | undefined;
}

/** Higher than the limit for tracking replies, which is too low for a page of long rows or a year of hourly values. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;
const ADVICE = {
  401: 'Set the option apiKey or AFFKIT_API_KEY to a valid management key. For methods that require a session, set it to a valid session token',
  403: 'Check the scopes and programs of the key, and the role of the user who created it',
};
const MAY_BE_DONE = 'The server may or may not have carried out the call';
/** Error codes of Node, undici and Bun for requests that failed before the first byte was sent. */
const NOT_SENT: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/** Sends a request of a route. Throws an `AffkitError` if the call fails. */
export async function sendRoute(
  operation: string,
  { route, kind, input, repeats }: Endpoint,
  { path, body }: { readonly path: string; readonly body: string },
  settings: ManagementSettings,
  options: ManagementCallOptions,
): Promise<RouteReply> {
  const { transport, file } = routeTransport(settings.transport, {
    method: route.slice(0, route.indexOf(' ')) as TransportRequest['method'],
    contentType: input === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    isCsv: kind === 'csv',
  });
  const isRepeatable = repeats !== 'no';
  const call = {
    operation,
    subject: operation,
    path,
    body,
    maxReplyBytes: MAX_REPLY_BYTES,
    classify: (reply: SendResult['response']) =>
      classifyRouteReply({ route, kind }, reply, file() !== undefined),
    isRepeatable: isRepeatable ? () => true : hadNoEffect,
    advice: ADVICE,
    unknownEffect: `${MAY_BE_DONE}. ${isRepeatable ? 'You can safely repeat the call' : 'Check before you repeat the call'}`,
  };
  const sent = await send(call, { ...settings, transport }, options);
  return { ...sent, body: sent.response.body ?? {}, file: file() };
}

/** Whether a failed request certainly changed nothing, because it was not sent or exceeded a rate limit. */
function hadNoEffect(outcome: RequestOutcome): boolean {
  if (outcome.kind === 'response') return outcome.status === 429;
  return outcome.kind === 'unreachable' && NOT_SENT.has(firstErrorCode(outcome.cause));
}
