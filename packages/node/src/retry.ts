/** The events that the client sends. */
export type Operation = 'sale' | 'refund' | 'lead';

/** What is asked of the server: an event to record, or which it has. */
export type Question = Operation | 'exists';

/** How one request ended, as far as a retry depends on it. */
export type AttemptOutcome =
  | {
      readonly kind: 'reply';
      readonly status: number;
      /** `code` of the body; absent where the body could not be read. */
      readonly code?: string | undefined;
      /** Header `x-should-retry`. */
      readonly shouldRetry?: string | null | undefined;
      /** Header `Retry-After`. */
      readonly retryAfter?: string | null | undefined;
    }
  /** No reply. `isReset`: the peer closed the connection, as it does to an idle one that it gave up. */
  | { readonly kind: 'unreachable'; readonly isReset: boolean }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'aborted' };

/** What the decision weighs besides the outcome. */
export interface RetryContext {
  readonly operation: Question;
  /** Requests sent so far, this one included. */
  readonly attempt: number;
  /** Requests that may follow the first; 0 means none. */
  readonly maxRetries: number;
  readonly nowMs: number;
  readonly deadlineAtMs: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
}

/** What to do after a request. */
export type RetryDecision =
  | { readonly action: 'succeed'; readonly isDuplicate: boolean }
  | { readonly action: 'retry'; readonly delayMs: number }
  | {
      readonly action: 'fail';
      readonly reason: 'refused' | 'exhausted' | 'deadline' | 'aborted';
      /** May the same call succeed later? */
      readonly isRetryable: boolean;
    };

const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;

/**
 * Decides what follows a request. In this order:
 *
 * 1. 2xx is success, and so is a duplicate (409 to a sale, `lead_already_recorded` to a lead), whatever
 *    `x-should-retry` says: the event stands recorded.
 * 2. An abort or a passed deadline ends the call.
 * 3. A redirect fails.
 * 4. `x-should-retry: true | false` is obeyed.
 * 5. No reply, 408, 425, 429, 500, 502, 503, 504: again, as long as `maxRetries` and the deadline allow.
 * 6. Anything else fails.
 *
 * The pause is what `Retry-After` says, else full jitter below 0.5 s, doubling to 8 s. A connection that the peer
 * reset under the first request is tried again at once.
 */
export function decideRetry(outcome: AttemptOutcome, context: RetryContext): RetryDecision {
  if (outcome.kind === 'reply') {
    if (isDuplicate(outcome.status, outcome.code, context.operation)) {
      return { action: 'succeed', isDuplicate: true };
    }
    if (outcome.status >= 200 && outcome.status < 300) return { action: 'succeed', isDuplicate: false };
  }
  if (outcome.kind === 'aborted' || outcome.kind === 'deadline') {
    return { action: 'fail', reason: outcome.kind, isRetryable: true };
  }
  if (outcome.kind === 'reply' && !isRetryable(outcome.status, outcome.shouldRetry)) {
    return { action: 'fail', reason: 'refused', isRetryable: false };
  }
  if (context.attempt > context.maxRetries) return { action: 'fail', reason: 'exhausted', isRetryable: true };
  const delayMs = computeDelay(outcome, context);
  if (context.nowMs + delayMs >= context.deadlineAtMs) {
    return { action: 'fail', reason: 'deadline', isRetryable: true };
  }
  return { action: 'retry', delayMs };
}

function isDuplicate(status: number, code: string | undefined, operation: Question): boolean {
  if (operation === 'sale') return status === 409;
  return operation === 'lead' && status === 400 && code === 'lead_already_recorded';
}

function isRetryable(status: number, shouldRetry: string | null | undefined): boolean {
  // Status 0 is how browsers and some runtimes show a redirect that they were told not to follow.
  if (status === 0 || (status >= 300 && status < 400)) return false;
  const advice = shouldRetry?.trim().toLowerCase();
  if (advice === 'true' || advice === 'false') return advice === 'true';
  return RETRIED_STATUSES.has(status);
}

function computeDelay(outcome: AttemptOutcome, { attempt, nowMs, random }: RetryContext): number {
  if (outcome.kind === 'unreachable' && outcome.isReset && attempt === 1) return 0;
  const asked = outcome.kind === 'reply' ? parseRetryAfter(outcome.retryAfter, nowMs) : undefined;
  return asked ?? random * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds to wait by a `Retry-After` in seconds or as an HTTP date; undefined where it is neither. */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
