import { AffkitError } from './errors.ts';

type TimedEvent = Readonly<Record<string, unknown>>;

/**
 * The server accepts ages up to 90 days. This limit is an hour less, for retries and for a clock that is a little
 * slow.
 */
const MAX_AGE_MS = 90 * 86_400_000 - 3_600_000;

/**
 * Sets the age of a stored event with `age_ms`, whose time comes from the clock of this machine. If the
 * clock was set back since, the age is 0. An event that has waited too long for the server gets the oldest time
 * that the server accepts, so that it is not lost.
 */
export function withCurrentAge(event: TimedEvent, nowMs: number): TimedEvent {
  if (event['age_ms'] === undefined) return event;
  const ageMs = nowMs - Date.parse(String(event['occurred_at']));
  if (!(ageMs > MAX_AGE_MS)) return { ...event, age_ms: Math.max(0, ageMs || 0) };
  return { ...event, occurred_at: new Date(nowMs - MAX_AGE_MS).toISOString(), age_ms: MAX_AGE_MS };
}

/**
 * The event to send after the server has rejected its time, or undefined if the error has another reason.
 * Without `occurred_at`, the server uses its own clock, less `age_ms`. A time of the caller that is too old is
 * not corrected, because it does not come from a wrong clock.
 */
export function correctRejectedTime(event: TimedEvent, error: unknown): TimedEvent | undefined {
  if (!(error instanceof AffkitError) || error.status !== 400 || error.code !== 'invalid_field') return;
  const { message } = error;
  const isOldTimeOfCaller = message.endsWith('in the past') && event['age_ms'] === undefined;
  if (isOldTimeOfCaller || !message.includes(': occurred_at must be at most ')) return;
  const { occurred_at: _, ...rest } = event;
  return { ...rest, age_ms: event['age_ms'] ?? 0 };
}
