import { Rejection } from '../rejection.ts';
import { DAY_MS } from './calendar.ts';

const MAX_EVENT_AGE_MS = 90 * DAY_MS;
const MAX_CLOCK_AHEAD_MS = 5 * 60_000;

/** When an event took place, as its sender reports it. */
export interface ReportedTime {
  readonly occurred_at?: string | undefined;
  /** How old the event was when it was sent, by the clock of the sender. */
  readonly age_ms?: number | undefined;
}

/**
 * Decides when an event took place, in epoch milliseconds. The caller's time may lie at most 90 days in the
 * past and 5 minutes in the future. A future or missing time becomes `now`.
 *
 * `occurred_at` plus `age_ms` is the time at which the sender's clock sent the event. If that differs from
 * `now` by more than 5 minutes, the sender's clock is wrong, and only `age_ms` counts.
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
