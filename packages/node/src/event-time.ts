import { AffkitError } from './errors.ts';

type TimedEvent = Readonly<Record<string, unknown>>;

/**
 * The server accepts ages up to 90 days. This limit is one hour less, to leave time for retries and inexact
 * clocks.
 */
const MAX_AGE_MS = 90 * 86_400_000 - 3_600_000;

/**
 * Updates `age_ms` of a stored event. Events without `age_ms` carry the caller's own time and are not
 * changed. If this machine's clock was set back after the event was stored, the computed age can be negative.
 * Such an event gets the age 0. An age above `MAX_AGE_MS` is lowered to this limit, so that the server does not
 * reject the event.
 */
export function withCurrentAge(event: TimedEvent, nowMs: number): TimedEvent {
  if (event['age_ms'] === undefined) return event;
  const ageMs = Math.floor(nowMs - parseTime(String(event['occurred_at'])));
  if (!(ageMs > MAX_AGE_MS)) return { ...event, age_ms: Math.max(0, ageMs || 0) };
  return { ...event, occurred_at: new Date(nowMs - MAX_AGE_MS).toISOString(), age_ms: MAX_AGE_MS };
}

/** Parses a time. The server also accepts the zones `+01` and `+0100`, but `Date.parse` may accept only `+01:00`. */
function parseTime(time: string): number {
  return Date.parse(
    time.replace(/([+-]\d\d)(?::?(\d\d))?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`),
  );
}

/**
 * Corrects an event whose `occurred_at` the server rejected. Returns the event without that field: the server
 * then computes the time from its own clock and `age_ms`. Returns undefined for any other error. Also returns
 * undefined if the caller passed the time and it is too old, because then this machine's clock is not the cause.
 */
export function correctRejectedTime(event: TimedEvent, error: unknown): TimedEvent | undefined {
  if (!(error instanceof AffkitError) || error.status !== 400 || error.code !== 'invalid_field') return;
  const { message } = error;
  const isOldTimeOfCaller = message.endsWith('in the past') && event['age_ms'] === undefined;
  if (isOldTimeOfCaller || !message.includes(': occurred_at must be at most ')) return;
  const { occurred_at: _, ...rest } = event;
  return { ...rest, age_ms: event['age_ms'] ?? 0 };
}
