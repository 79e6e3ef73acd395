import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { performance } from 'node:perf_hooks';
import { toStorableText } from '../domain/storable-text.ts';
import type { AllowedHosts } from './endpoint-url.ts';
import { pinnedConnection, type ResolveHost, resolveEndpoint } from './resolve-host.ts';

/** The maximum duration of an attempt, including the lookup of the host and the body of the response. */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** The number of bytes that are read from a response. The connection is then closed. */
const MAX_READ_BYTES = 16 * 1024;
/** The number of bytes of a response that are logged. */
const MAX_LOGGED_BYTES = 1024;
const MAX_LOGGED_HEADERS = 50;
const MAX_ERROR_LENGTH = 500;

interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a request. */
export interface WebhookResponse {
  /** Null when there was no response. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** The first 1,024 bytes as text. */
  readonly body: string | null;
  /** Why there is no complete response. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** Sends webhooks to hosts that users enter. It must never send requests to the operator's network. */
export interface WebhookSender {
  readonly allowedHosts: AllowedHosts;
  /** Sends a request. Never rejects. */
  send(request: WebhookRequest): Promise<WebhookResponse>;
}

/** @param resolve resolves host names. Only tests pass it. @default the resolvers of `resolve-host.ts` */
export function createWebhookSender(allowedHosts: AllowedHosts, resolve?: ResolveHost): WebhookSender {
  return {
    allowedHosts,
    send: async (request) => {
      const start = performance.now();
      const response = await attempt(request, allowedHosts, resolve);
      return { ...response, durationMs: Math.round(performance.now() - start) };
    },
  };
}

async function attempt(
  request: WebhookRequest,
  allowedHosts: AllowedHosts,
  resolve: ResolveHost | undefined,
): Promise<Omit<WebhookResponse, 'durationMs'>> {
  const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
  try {
    const url = new URL(request.url);
    const addresses = await orTimeout(resolveEndpoint(url, allowedHosts, resolve), signal);
    const response = await post(url, addresses, request, signal);
    const body = await readStart(response);
    return {
      status: response.statusCode ?? null,
      headers: loggedHeaders(response),
      body: body.text,
      error: body.error,
    };
  } catch (error) {
    return { status: null, headers: null, body: null, error: errorText(error, signal) };
  }
}

async function orTimeout<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Sends the request on a new connection to one of the addresses. Redirects are not followed. */
function post(
  url: URL,
  addresses: readonly string[],
  { headers, body }: WebhookRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const sent: ClientRequest = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // A pooled connection could lead to an address that was not checked for this request.
      agent: false,
      ...pinnedConnection(addresses),
      signal,
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    // If the host answers with 101 and the header `Upgrade`, Node closes the connection without an `error` event.
    // Then not even the signal ends the request.
    sent.on('close', () => reject(new Error('The host did not send a final response.')));
    sent.end(body);
  });
}

/** Reads the start of a response, and closes the connection. The status is known, so a failure is only logged. */
async function readStart(response: IncomingMessage): Promise<{ text: string; error: string | null }> {
  const chunks: Buffer[] = [];
  let length = 0;
  let error: string | null = null;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_READ_BYTES) break;
    }
  } catch {
    error = 'The response ended before it was complete.';
  } finally {
    response.destroy();
  }
  const text = Buffer.concat(chunks).subarray(0, MAX_LOGGED_BYTES).toString('utf8');
  return { text: toStorableText(text), error };
}

function loggedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).slice(0, MAX_LOGGED_HEADERS);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, toStorableText(String(value)).slice(0, MAX_ERROR_LENGTH)]),
  );
}

function errorText(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `There was no response within ${ATTEMPT_TIMEOUT_MS / 1_000} seconds.`;
  // Replace the message of a failed connection, because it contains the address.
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  const message = code !== null && CONNECTION_ERRORS[code];
  if (message) return message;
  return toStorableText(error instanceof Error ? error.message || error.name : String(error)).slice(
    0,
    MAX_ERROR_LENGTH,
  );
}

const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The host refused the connection.',
  ECONNRESET: 'The host closed the connection without a response.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ETIMEDOUT: 'The host did not accept the connection in time.',
  ENOTFOUND: 'The host name does not exist.',
  ENODATA: 'The host name has no address.',
  ESERVFAIL: 'The name server of the host failed.',
};
