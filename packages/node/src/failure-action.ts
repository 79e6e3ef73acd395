import { AffkitError, AffkitUnexpectedReplyError } from './errors.ts';

/**
 * What to do with an event whose delivery failed:
 *
 * - `dead_letter`: the server rejects this event permanently.
 * - `halt`: the server would reject every event until the configuration is fixed.
 * - `retry`: the server may accept the event later.
 */
export type FailureAction = 'dead_letter' | 'halt' | 'retry';

/** Statuses with which the server rejects a single event. Other events may be accepted. */
const REJECTION_STATUSES: ReadonlySet<number> = new Set([400, 409, 413, 415, 422]);

/**
 * After this many unexpected replies in a row, the client assumes that a proxy or firewall answers every
 * request. With the default `maxRetries`, a failed call makes four requests, so the limit is reached after five
 * failed calls.
 */
export const MAX_UNEXPECTED_REPLIES = 20;

/** Decides what to do after a failed delivery. Unknown errors are retried, so that no event is lost. */
export function decideFailureAction(error: unknown): FailureAction {
  if (!(error instanceof AffkitError) || error instanceof AffkitUnexpectedReplyError) return 'retry';
  const { status, code, retryable } = error;
  if (status === undefined) return error.attempts === 0 || !retryable ? 'halt' : 'retry';
  if (REJECTION_STATUSES.has(status)) return 'dead_letter';
  if (status === 404) return isRouteNotFound(code) ? 'halt' : 'dead_letter';
  return retryable || status >= 500 || status === 408 || status === 425 || status === 429 ? 'retry' : 'halt';
}

/**
 * Whether the `code` of a 404 error means that the URL is wrong, rather than that the sale does not exist.
 */
export function isRouteNotFound(code: string): boolean {
  return code === 'route_not_found';
}

/** Whether the event itself may have caused the failure (status 500). Other events may then still succeed. */
export function mayBeEventSpecific(error: unknown): boolean {
  return error instanceof AffkitError && error.status === 500;
}
