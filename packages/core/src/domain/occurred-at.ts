import { Rejection } from '../rejection.ts';
import { DAY_MS } from './calendar.ts';

const MAX_EVENT_AGE_MS = 90 * DAY_MS;
const MAX_CLOCK_AHEAD_MS = 5 * 60_000;

/**
 * Decides when an event took place, in epoch milliseconds. The caller's time may lie at most 90 days in the
 * past and 5 minutes in the future. A future or missing time becomes `now`.
 */
export function decideOccurredAt(occurredAt: string | undefined, now: number): number | Rejection {
  if (occurredAt === undefined) return now;
  const at = Date.parse(occurredAt);
  if (!(at >= now - MAX_EVENT_AGE_MS)) {
    return new Rejection('invalid_field', 'occurred_at must be at most 90 days in the past');
  }
  if (at > now + MAX_CLOCK_AHEAD_MS) {
    return new Rejection('invalid_field', 'occurred_at must be at most 5 minutes in the future');
  }
  return Math.min(at, now);
}
