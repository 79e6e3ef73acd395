import { Rejection } from '../rejection.ts';
import { DAY_MS } from './calendar.ts';

const MAX_AGE_MS = 90 * DAY_MS;
const MAX_AHEAD_MS = 5 * 60_000;

/** When an event took place: what the caller says, within 90 days back; up to 5 minutes ahead counts as now. */
export function decideOccurredAt(occurredAt: string | undefined, now: number): number | Rejection {
  if (occurredAt === undefined) return now;
  const at = Date.parse(occurredAt);
  if (!(at >= now - MAX_AGE_MS)) {
    return new Rejection('invalid_field', 'occurred_at must be at most 90 days in the past');
  }
  if (at > now + MAX_AHEAD_MS) {
    return new Rejection('invalid_field', 'occurred_at must be at most 5 minutes in the future');
  }
  return Math.min(at, now);
}
