/** The clock of the test server. It moves only when you call `advance`. */
export interface TestClock {
  /**
   * The current time in milliseconds since the epoch. Pass it to the SDK too:
   * `new Affkit({ runtime: { ...systemRuntime, now: clock.now } })`.
   */
  readonly now: () => number;
  /**
   * Moves the clock forward, and then runs the jobs that are due on the server. For example, they approve
   * commissions whose hold has ended.
   *
   * @throws RangeError if the duration is negative, not finite or has an unknown unit
   *
   * @example
   * ```ts
   * await server.clock.advance({ days: 31 });
   * ```
   */
  advance(by: Duration): Promise<void>;
}

/** A duration. Its length is the sum of its fields. */
interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly ms?: number;
}

const UNITS: Record<keyof Duration, true> = { days: true, hours: true, ms: true };
const HOUR_MS = 3_600_000;

/** Creates a clock. `onAdvance` is called after each move. */
export function createClock(startMs: number, onAdvance: () => Promise<void>): TestClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    async advance(by) {
      const unknown = Object.keys(by).find((name) => !Object.hasOwn(UNITS, name));
      if (unknown !== undefined) {
        throw new RangeError(
          `Unknown unit of time ${unknown}. Valid units: ${Object.keys(UNITS).join(', ')}`,
        );
      }
      const { days = 0, hours = 0, ms = 0 } = by;
      const totalMs = (days * 24 + hours) * HOUR_MS + ms;
      if (!Number.isFinite(totalMs) || totalMs < 0) {
        throw new RangeError(`The clock only moves forward, got ${totalMs} ms`);
      }
      nowMs += totalMs;
      await onAdvance();
    },
  };
}
