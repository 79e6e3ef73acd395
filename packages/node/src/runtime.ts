/** What the client takes from the outside world. Tests pass a clock of their own. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number from 0 up to, not including, 1. */
  random(): number;
  /**
   * Calls `onElapsed` once after `delayMs`, unless the returned function was called before. A process need not stay
   * alive for one that `isBackground`.
   */
  setTimer(delayMs: number, onElapsed: () => void, isBackground?: boolean): () => void;
}

/** The machine's clock and timers. A call's keep a process alive: an event under way is worth waiting for. */
export const systemRuntime: Runtime = {
  now: () => Date.now(),
  random: () => Math.random(),
  setTimer: (delayMs, onElapsed, isBackground) => {
    const timer = setTimeout(onElapsed, delayMs);
    // Outside Node a timer may be a number, which holds nothing.
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
