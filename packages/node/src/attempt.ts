import { isRecord } from './input/check.ts';
import { firstCode, redact, redactError } from './redact.ts';
import { readReplyBody } from './reply-body.ts';
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
  /** Undefined where the body is no JSON object, was cut short, is too long or came too late. */
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

/** How far a request has come. */
interface Progress {
  /** Empty until it is known. */
  token: string;
  head: Head | undefined;
}

type Head = Omit<Reply, 'code' | 'body'>;

/**
 * Sends one request. Once a status has arrived it counts, even if the body never does. Also a transport that
 * ignores its signal can't hold the call beyond the limit. Throws only where there is no token to send.
 */
export function sendOnce(request: AttemptRequest, transport: Transport, runtime: Runtime): Promise<Outcome> {
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
      resolve(head === undefined ? { kind } : readReply(head, undefined, token));
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
  { url, body, token: source }: AttemptRequest,
  transport: Transport,
  signal: AbortSignal,
  progress: Progress,
): Promise<Outcome> {
  const token = await resolveToken(source);
  progress.token = token;
  try {
    // Stopped while the token was on its way.
    signal.throwIfAborted();
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'affkit-node',
    };
    const response = await transport({ method: 'POST', url, headers, body, signal });
    const head = readHead(response, token);
    progress.head = head;
    return readReply(head, await readReplyBody(response), token);
  } catch (error) {
    const cause = redactError(error, token);
    return { kind: 'unreachable', isReset: RESET_CODES.has(firstCode(cause)), cause };
  }
}

function readHead({ status, headers }: TransportResponse, token: string): Head {
  const requestId = headers.get('x-request-id');
  // To ask `fetch` for a header costs, and of a success nobody wants to know these.
  const adviceOf = (name: string) => (status >= 200 && status < 300 ? null : headers.get(name));
  return {
    kind: 'reply',
    status,
    requestId: requestId === null ? undefined : redact(requestId, token),
    shouldRetry: adviceOf('x-should-retry'),
    retryAfter: adviceOf('retry-after'),
    location: adviceOf('location'),
  };
}

/** Some proxies repeat the request in their error pages: the token is taken out before anything is read. */
function readReply(head: Head, text: string | undefined, token: string): Reply {
  const body = parseObject(text === undefined ? undefined : redact(text, token));
  const requestId = head.requestId ?? readText(body, 'request_id');
  return { ...head, code: readCode(body), requestId, body };
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
