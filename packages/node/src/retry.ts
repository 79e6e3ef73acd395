import { classifyReply, isRedirect, type ReplyKind } from './reply.ts';

/** The kinds of event that the client sends. */
export type Operation = 'sale' | 'refund' | 'lead';

/** The last path segment of a tracking route: an event to record, or `exists` to look up transaction ids. */
export type TrackEndpoint = Operation | 'exists';

/** The parts of a request's outcome that {@link decideRetry} depends on. */
export type AttemptOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** The JSON object in the body; absent if the body could not be read. */
      readonly body?: Readonly<Record<string, unknown>> | undefined;
      /** The header `x-should-retry`. */
      readonly shouldRetry?: string | null | undefined;
      /** The header `Retry-After`. */
      readonly retryAfter?: string | null | undefined;
    }
  /**
   * No response. `isReset`: whether the peer closed the connection, as servers do with idle keep-alive
   * connections.
   */
  | { readonly kind: 'unreachable'; readonly isReset: boolean }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'aborted' };

/** The state of the call that {@link decideRetry} depends on. */
export interface RetryContext {
  readonly operation: TrackEndpoint;
  /** Number of requests sent so far, including this one. */
  readonly attempt: number;
  /** Maximum number of retries of a request. 0 disables retries. */
  readonly maxRetries: number;
  /** The current time in milliseconds since the epoch. */
  readonly nowMs: number;
  /** When the call must end, in milliseconds since the epoch. */
  readonly deadlineAtMs: number;
  /** A random number from 0 (inclusive) to 1 (exclusive), for the jitter. */
  readonly random: number;
}

/** The decision after a request: return a result, send the request again after a delay, or throw. */
export type RetryDecision =
  | { readonly action: 'succeed'; readonly isDuplicate: boolean }
  | { readonly action: 'retry'; readonly delayMs: number }
  | {
      readonly action: 'fail';
      /** `refused`: the response is not retryable. `exhausted`: `maxRetries` is used up. */
      readonly reason: 'refused' | 'exhausted' | 'deadline' | 'aborted';
      /** Whether the same call may succeed later. */
      readonly isRetryable: boolean;
    };

const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/**
 * Decides what to do after a request. A pure function. The rules, in order:
 *
 * 1. A 200 with a documented body succeeds. A duplicate (409 to a sale, `lead_already_recorded` to a lead)
 *    also succeeds, even with `x-should-retry: true`, because the event is already recorded.
 * 2. An abort or an exceeded deadline fails.
 * 3. A redirect fails.
 * 4. Any other 2xx or 4xx without a documented body, except 408, 425 and 429, is retried, because it did not
 *    come from Affkit.
 * 5. A response with `x-should-retry: true` is retried, and a response with `x-should-retry: false` fails.
 * 6. A timeout, no response, 408, 425, 429, 500, 502, 503 and 504 are retried.
 * 7. Anything else fails.
 *
 * Instead of a retry, the call fails if `maxRetries` is used up, or if the delay would exceed the deadline.
 *
 * The delay is the value of `Retry-After`. Without that header it is exponential backoff with full jitter: a
 * random time below a limit, which is 0.5 s at first and doubles with each retry up to 8 s. If the peer
 * resets the connection of the first request, the retry is immediate.
 */
export function decideRetry(outcome: AttemptOutcome, context: RetryContext): RetryDecision {
  return decideAfterReply(
    outcome,
    outcome.kind === 'response' ? classifyReply(context.operation, outcome.status, outcome.body) : undefined,
    context,
  );
}

/** Like {@link decideRetry}, but with the reply already classified. `reply` is undefined if none arrived. */
export function decideAfterReply(
  outcome: AttemptOutcome,
  reply: ReplyKind | undefined,
  context: Omit<RetryContext, 'operation'>,
): RetryDecision {
  if (reply === 'recorded' || reply === 'duplicate') {
    return { action: 'succeed', isDuplicate: reply === 'duplicate' };
  }
  if (outcome.kind === 'aborted' || outcome.kind === 'deadline') {
    return { action: 'fail', reason: outcome.kind, isRetryable: true };
  }
  if (
    outcome.kind === 'response' &&
    reply !== 'unexpected' &&
    !isRetryable(outcome.status, outcome.shouldRetry)
  ) {
    return { action: 'fail', reason: 'refused', isRetryable: false };
  }
  if (context.attempt > context.maxRetries) return { action: 'fail', reason: 'exhausted', isRetryable: true };
  const delayMs = computeDelay(outcome, context);
  if (context.nowMs + delayMs >= context.deadlineAtMs) {
    return { action: 'fail', reason: 'deadline', isRetryable: true };
  }
  return { action: 'retry', delayMs };
}

function isRetryable(status: number, shouldRetry: string | null | undefined): boolean {
  if (isRedirect(status)) return false;
  const header = shouldRetry?.trim().toLowerCase();
  if (header === 'true' || header === 'false') return header === 'true';
  return RETRIED_STATUSES.has(status);
}

function computeDelay(
  outcome: AttemptOutcome,
  { attempt, nowMs, random }: Omit<RetryContext, 'operation'>,
): number {
  if (outcome.kind === 'unreachable' && outcome.isReset && attempt === 1) return 0;
  const requestedMs = outcome.kind === 'response' ? parseRetryAfter(outcome.retryAfter, nowMs) : undefined;
  return requestedMs ?? random * Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** (attempt - 1));
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a `Retry-After` header.
 *
 * @param header the value of the header, in seconds or as an HTTP date
 * @param nowMs the current time in milliseconds since the epoch
 * @returns the delay in milliseconds, or undefined if the header is missing or not valid
 */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
