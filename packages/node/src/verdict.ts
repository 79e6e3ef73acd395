import { AffkitError } from './errors.ts';

/**
 * What a failed delivery means: `dead`, the server refuses this event; `halt`, it would refuse every event, until
 * somebody acts; `later`, it may take it another time.
 */
export type Verdict = 'dead' | 'halt' | 'later';

/** Statuses that judge the event itself. */
const REFUSALS: ReadonlySet<number> = new Set([400, 409, 413, 415, 422]);

/** Judges what a delivery failed with. In doubt an event is kept: none is given up for a fault of the set-up. */
export function decideVerdict(error: unknown): Verdict {
  if (!(error instanceof AffkitError)) return 'later';
  const { status, code, retryable } = error;
  if (status === undefined) return error.attempts === 0 || !retryable ? 'halt' : 'later';
  if (REFUSALS.has(status)) return 'dead';
  if (status === 404) return isNoRoute(code) ? 'halt' : 'dead';
  if (status >= 200 && status < 300) return 'dead';
  return retryable || status >= 500 || status === 408 || status === 425 || status === 429 ? 'later' : 'halt';
}

/** Does a 404 say that the path is wrong, not that the event names something unknown? Takes an error's `code`. */
export function isNoRoute(code: string): boolean {
  // Without a code of its own it isn't Affkit that says that there is nothing.
  return code === 'route_not_found' || code.startsWith('http_');
}

/** Was the event looked at and found too much? Then the fault may lie in it, and others may fare better. */
export function isOwnFault(error: unknown): boolean {
  return error instanceof AffkitError && error.status === 500;
}
