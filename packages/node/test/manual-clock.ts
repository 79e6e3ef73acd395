import type { Runtime } from '../src/runtime.ts';

/** A clock that moves only when a test moves it. */
export interface ManualClock extends Required<Runtime> {
  /** Moves the clock and fires the timers that are due, in order. */
  advance(ms: number): void;
  /** Sets the clock forward or back, as an operator does. No time elapses, so no timer fires. */
  adjust(ms: number): void;
  /** The remaining time of each pending timer, in milliseconds. */
  pending(): number[];
}

export function manualClock(startMs = Date.parse('2026-03-01T12:00:00Z'), random = 0.5): ManualClock {
  let nowMs = startMs;
  let elapsedMs = 0;
  const timers = new Set<{ atMs: number; fire: () => void }>();
  return {
    now: () => nowMs,
    monotonicNow: () => elapsedMs,
    random: () => random,
    setTimer(delayMs, fire) {
      const timer = { atMs: elapsedMs + delayMs, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      nowMs += ms;
      elapsedMs += ms;
      const due = [...timers].filter(({ atMs }) => atMs <= elapsedMs).sort((a, b) => a.atMs - b.atMs);
      for (const timer of due) {
        if (timers.delete(timer)) timer.fire();
      }
    },
    adjust(ms) {
      nowMs += ms;
    },
    pending: () => [...timers].map(({ atMs }) => atMs - elapsedMs),
  };
}
