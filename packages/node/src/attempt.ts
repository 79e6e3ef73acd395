import { parseObject } from './input/check.ts';
import type { TraceHeaders } from './open-telemetry.ts';
import { firstErrorCode, redact, redactError } from './redact.ts';
import { isMeaningfulWithoutBody, readCode } from './reply.ts';
import { readResponseBody } from './response-body.ts';
import type { Runtime } from './runtime.ts';
import type { CredentialReader } from './token.ts';
import type { Transport, TransportResponse } from './transport.ts';

/** A response from the server, or from a proxy in front of it. */
export interface ApiResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly shouldRetry: string | null;
  readonly retryAfter: string | null;
  /** The header `location` of a redirect. */
  readonly location: string | null;
  /** Undefined if the body is not a JSON object, was cut short, is too long or arrived too late. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** The header `content-type`; undefined if the request succeeded. */
  readonly contentType: string | undefined;
  /** The first characters of the body; undefined if the body could not be read. */
  readonly excerpt: string | undefined;
}

/** How a request ended. */
export type RequestOutcome =
  | ApiResponse
  | { readonly kind: 'unreachable'; readonly isReset: boolean; readonly cause: Error }
  | { readonly kind: 'timeout' | 'deadline' | 'aborted' };

/** The parameters of a single request. */
export interface AttemptRequest {
  readonly url: string;
  readonly call: { readonly body: string; readonly maxReplyBytes?: number };
  readonly readCredential: CredentialReader;
  /** The headers that identify the caller's trace span. */
  readonly traceHeaders?: TraceHeaders | undefined;
  /** Time limit of the request, including its body. */
  readonly limitMs: number;
  /** The outcome to report when `limitMs` runs out. */
  readonly limitKind: 'timeout' | 'deadline';
  readonly signal: AbortSignal | undefined;
}

const MAX_EXCERPT_LENGTH = 120;
const RESET_CODES: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** The progress of a request, shared with the timer that aborts it. */
interface Progress {
  /** Empty until the token is resolved. */
  token: string;
  head: ResponseHead | undefined;
}

type ResponseHead = Omit<ApiResponse, 'code' | 'body' | 'contentType' | 'excerpt'>;

/**
 * Sends one request. If the body of a redirect, server error, 408, 425 or 429 does not arrive in time, the outcome
 * still contains the status. The time limit applies even if the transport ignores its abort signal. Throws only if the
 * token cannot be resolved.
 */
export function sendOnce(
  request: AttemptRequest,
  transport: Transport,
  runtime: Runtime,
): Promise<RequestOutcome> {
  const { signal, limitMs, limitKind } = request;
  const controller = new AbortController();
  const progress: Progress = { token: '', head: undefined };
  return new Promise((resolve, reject) => {
    const end = () => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const stop = (kind: 'timeout' | 'deadline' | 'aborted') => {
      end();
      const { head, token } = progress;
      const isKnown = head !== undefined && kind !== 'aborted' && isMeaningfulWithoutBody(head.status);
      resolve(isKnown ? parseResponse(head, undefined, token, undefined) : { kind });
      controller.abort();
    };
    const onAbort = () => stop('aborted');
    const cancelTimer = runtime.setTimer(limitMs, () => stop(limitKind));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    exchange(request, transport, controller.signal, progress).then(
      (outcome) => {
        end();
        resolve(outcome);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

async function exchange(
  { url, call, readCredential, traceHeaders }: AttemptRequest,
  transport: Transport,
  signal: AbortSignal,
  progress: Progress,
): Promise<RequestOutcome> {
  const token = await readCredential();
  progress.token = token;
  try {
    // The request may have been stopped while the token was being resolved.
    signal.throwIfAborted();
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'affkit-node',
      ...traceHeaders,
    };
    const response = await transport({ method: 'POST', url, headers, body: call.body, signal });
    const head = readHead(response, token);
    progress.head = head;
    return parseResponse(head, await readResponseBody(response, call.maxReplyBytes), token, response);
  } catch (error) {
    const cause = redactError(error, token);
    return { kind: 'unreachable', isReset: RESET_CODES.has(firstErrorCode(cause)), cause };
  }
}

function readHead({ status, headers }: TransportResponse, token: string): ResponseHead {
  const requestId = headers.get('x-request-id');
  // Only a failure needs the headers below. They are not read for a success, because reading a header from `fetch`
  // takes measurable time.
  const failureHeader = (name: string) => (status >= 200 && status < 300 ? null : headers.get(name));
  return {
    kind: 'response',
    status,
    requestId: requestId === null ? undefined : redact(requestId, token),
    shouldRetry: failureHeader('x-should-retry'),
    retryAfter: failureHeader('retry-after'),
    location: failureHeader('location'),
  };
}

/** Redacts the token before parsing, because some proxies repeat the request in their error pages. */
function parseResponse(
  head: ResponseHead,
  rawText: string | undefined,
  token: string,
  response: TransportResponse | undefined,
): ApiResponse {
  const text = rawText === undefined ? undefined : redact(rawText, token);
  const body = parseObject(text);
  const requestId = head.requestId ?? stringField(body, 'request_id');
  const type = body?.['success'] === true ? undefined : response?.headers.get('content-type');
  const contentType = typeof type === 'string' ? redact(type, token) : undefined;
  return {
    ...head,
    code: readCode(body),
    requestId,
    body,
    contentType,
    excerpt: text?.slice(0, MAX_EXCERPT_LENGTH),
  };
}

export function stringField(body: ApiResponse['body'], name: string): string | undefined {
  const value = body?.[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberField(body: ApiResponse['body'], name: string): number | undefined {
  const value = body?.[name];
  return typeof value === 'number' ? value : undefined;
}
