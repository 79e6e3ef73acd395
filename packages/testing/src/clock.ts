/** The server's clock. It moves only when it is told to. */
export interface TestClock {
  /** Milliseconds since the epoch. Give it to the SDK too: `runtime: { ...systemRuntime, now: clock.now }`. */
  readonly now: () => number;
  /** Moves it on, then does what has come due on the server: holds that end, commissions that are owed. */
  advance(by: { readonly days?: number; readonly hours?: number; readonly ms?: number }): Promise<void>;
}

const HOUR_MS = 3_600_000;

export function makeClock(startMs: number, onAdvance: () => Promise<void>): TestClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    async advance({ days = 0, hours = 0, ms = 0 }) {
      const byMs = (days * 24 + hours) * HOUR_MS + ms;
      if (!Number.isFinite(byMs) || byMs < 0) throw new RangeError('The clock moves forwards only');
      nowMs += byMs;
      await onAdvance();
    },
  };
}
