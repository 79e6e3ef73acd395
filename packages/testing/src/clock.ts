/** The server's clock. It moves only when it is told to. */
export interface TestClock {
  /** Milliseconds since the epoch. Give it to the SDK too: `runtime: { ...systemRuntime, now: clock.now }`. */
  readonly now: () => number;
  /** Moves it on, then does what has come due on the server: holds that end, commissions that are owed. */
  advance(by: Duration): Promise<void>;
}

/** The sum of its parts. Unknown names are refused. */
interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly ms?: number;
}

const UNITS: Record<keyof Duration, true> = { days: true, hours: true, ms: true };
const HOUR_MS = 3_600_000;

export function makeClock(startMs: number, onAdvance: () => Promise<void>): TestClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    async advance(by) {
      const unknown = Object.keys(by).find((name) => !Object.hasOwn(UNITS, name));
      if (unknown !== undefined) {
        throw new RangeError(`${unknown} is no unit of time: there are ${Object.keys(UNITS).join(', ')}`);
      }
      const { days = 0, hours = 0, ms = 0 } = by;
      const byMs = (days * 24 + hours) * HOUR_MS + ms;
      if (!Number.isFinite(byMs) || byMs < 0) throw new RangeError('The clock moves forwards only');
      nowMs += byMs;
      await onAdvance();
    },
  };
}
