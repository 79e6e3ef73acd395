/**
 * The clock, timers and random numbers of the client. Replace parts of it in tests.
 *
 * @example
 * ```ts
 * const now = () => Date.parse('2026-01-31T12:00:00Z');
 * const affkit = new Affkit({ runtime: { ...systemRuntime, now } });
 * ```
 */
export interface Runtime {
  /** The current time in milliseconds since the epoch. */
  now(): number;
  /**
   * The time in milliseconds since an arbitrary start. Unlike `now`, it does not jump when the machine's clock is set,
   * so time limits are measured with it.
   * @default `now`
   */
  monotonicNow?(): number;
  /** A random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /**
   * Calls `onElapsed` once after `delayMs` milliseconds. Returns a function that cancels the timer. A timer
   * with `isBackground` does not keep the process alive.
   */
  setTimer(delayMs: number, onElapsed: () => void, isBackground?: boolean): () => void;
}

/**
 * The system clock, timers and random numbers. The timers of a call keep the process alive until the call
 * ends.
 */
export const systemRuntime: Runtime = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  random: () => Math.random(),
  setTimer: (delayMs, onElapsed, isBackground) => {
    const timer = setTimeout(onElapsed, delayMs);
    // Outside Node, a timer may be a number. It has no `unref`, and it does not keep the process alive.
    if (isBackground === true && typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or as soon as `signal` is aborted. */
export function sleep(runtime: Runtime, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = runtime.setTimer(delayMs, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
