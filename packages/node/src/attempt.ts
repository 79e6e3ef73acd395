import { isRecord } from './input/check.ts';
import { firstCode, redact, redactError } from './redact.ts';
import type { Runtime } from './runtime.ts';
import { resolveToken, type TokenSource } from './token.ts';
import type { Transport, TransportResponse } from './transport.ts';

/** A reply, as far as it could be read. */
export interface Reply {
  readonly kind: 'reply';
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly shouldRetry: string | null;
  readonly retryAfter: string | null;
  /** Where a redirect points. */
  readonly location: string | null;
  /** Undefined where the body is no JSON object, was cut short or came too late. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** How one request ended. */
export type Outcome =
  | Reply
  | { readonly kind: 'unreachable'; readonly isReset: boolean; readonly cause: Error }
  | { readonly kind: 'timeout' | 'deadline' | 'aborted' };

/** One request. */
export interface AttemptRequest {
  readonly url: string;
  readonly body: string;
  readonly token: TokenSource;
  /** When to give up, and what to call it. */
  readonly limitMs: number;
  readonly limitKind: 'timeout' | 'deadline';
  readonly signal: AbortSignal | undefined;
}

const RESET_CODES: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Why a request was ended from this side. */
class Stop extends Error {
  readonly kind: 'timeout' | 'deadline' | 'aborted';
  constructor(kind: 'timeout' | 'deadline' | 'aborted') {
    super(kind);
    this.kind = kind;
  }
}

/**
 * Sends one request. Once a status has arrived it counts, even if the body never does. Also a transport that
 * ignores its signal can't hold the call beyond the limit. Throws only where there is no token to send.
 */
export async function sendOnce(
  request: AttemptRequest,
  transport: Transport,
  runtime: Runtime,
): Promise<Outcome> {
  const controller = new AbortController();
  const stop = (kind: Stop['kind']) => controller.abort(new Stop(kind));
  const onAbort = () => stop('aborted');
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  // It may be rejected while nobody waits for it.
  stopped.catch(() => {});
  const cancelTimer = runtime.setTimer(request.limitMs, () => stop(request.limitKind));
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) onAbort();

  let token = '';
  try {
    token = await Promise.race([stopped, resolveToken(request.token)]);
    const response = await Promise.race([
      stopped,
      startRequest(request, token, transport, controller.signal),
    ]);
    const text = await Promise.race([stopped, readBody(response)]).catch(() => undefined);
    return readReply(response, text, token);
  } catch (error) {
    if (error instanceof Stop) return { kind: error.kind };
    if (token === '') throw error;
    const cause = redactError(error, token);
    return { kind: 'unreachable', isReset: RESET_CODES.has(firstCode(cause)), cause };
  } finally {
    cancelTimer();
    request.signal?.removeEventListener('abort', onAbort);
  }
}

async function startRequest(
  { url, body }: AttemptRequest,
  token: string,
  transport: Transport,
  signal: AbortSignal,
): Promise<TransportResponse> {
  return transport({
    method: 'POST',
    url,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'affkit-node',
    },
    body,
    signal,
  });
}

/** Async, so that also what a transport throws at once is a rejection. */
async function readBody(response: TransportResponse): Promise<string> {
  return response.text();
}

/** Some proxies repeat the request in their error pages: the token is taken out before anything is read. */
function readReply({ status, headers }: TransportResponse, text: string | undefined, token: string): Reply {
  const body = parseObject(text === undefined ? undefined : redact(text, token));
  const requestId = headers.get('x-request-id') ?? readText(body, 'request_id');
  return {
    kind: 'reply',
    status,
    code: readCode(body),
    requestId: requestId === undefined ? undefined : redact(requestId, token),
    shouldRetry: headers.get('x-should-retry'),
    retryAfter: headers.get('retry-after'),
    location: headers.get('location'),
    body,
  };
}

function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readCode(body: Reply['body']): string | undefined {
  const code = readText(body, 'code');
  if (code !== undefined) return code;
  // A server that knows no codes says the same by this text alone.
  const isRepeatedLead = readText(body, 'error')?.startsWith('Customer status cannot be updated to lead.');
  return isRepeatedLead ? 'lead_already_recorded' : undefined;
}

/** A field of a reply, where it is a text. */
export function readText(body: Reply['body'], name: string): string | undefined {
  const value = body?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** A field of a reply, where it is a number. */
export function readNumber(body: Reply['body'], name: string): number | undefined {
  const value = body?.[name];
  return typeof value === 'number' ? value : undefined;
}
