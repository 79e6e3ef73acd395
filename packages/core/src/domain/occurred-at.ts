import { Rejection } from '../rejection.ts';
import { DAY_MS } from './calendar.ts';

const MAX_EVENT_AGE_MS = 90 * DAY_MS;
const MAX_CLOCK_AHEAD_MS = 5 * 60_000;

/** The time of an event as reported by its sender. */
export interface ReportedTime {
  readonly occurred_at?: string | undefined;
  /** The age of the event when it was sent, measured with the sender's clock. */
  readonly age_ms?: number | undefined;
}

/**
 * Determines when an event took place, in epoch milliseconds. The reported time must not be more than 90 days
 * in the past or 5 minutes in the future. A missing time becomes `now`, and so does a time up to 5 minutes in
 * the future.
 *
 * The sum of `occurred_at` and `age_ms` is the time at which the event was sent, by the sender's clock. If
 * the sum differs from `now` by more than 5 minutes, the sender's clock is wrong. In this case, only `age_ms`
 * is used.
 */
export function decideOccurredAt(reported: ReportedTime, now: number): number | Rejection {
  const { occurred_at: occurredAt, age_ms: ageMs } = reported;
  if (occurredAt === undefined && ageMs === undefined) return now;
  const at = occurredAt === undefined ? Number.NaN : Date.parse(occurredAt);
  if (ageMs !== undefined && !(Math.abs(at + ageMs - now) <= MAX_CLOCK_AHEAD_MS)) {
    return ageMs <= MAX_EVENT_AGE_MS
      ? now - ageMs
      : new Rejection('invalid_field', 'age_ms must be at most 90 days');
  }
  if (!(at >= now - MAX_EVENT_AGE_MS)) {
    return new Rejection('invalid_field', 'occurred_at must be at most 90 days in the past');
  }
  if (at > now + MAX_CLOCK_AHEAD_MS) {
    return new Rejection('invalid_field', 'occurred_at must be at most 5 minutes in the future');
  }
  return Math.min(at, now);
}
