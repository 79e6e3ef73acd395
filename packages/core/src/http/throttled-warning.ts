import type { Runtime } from '../runtime.ts';

/**
 * Creates a function that logs a warning about something that may occur thousands of times. The first warning
 * is logged immediately. After that, at most one warning is logged per `pauseMs`, with the number of
 * occurrences since the previous warning.
 * @param count the log field that contains this number
 */
export function throttledWarning(
  { log, now }: Pick<Runtime, 'log' | 'now'>,
  pauseMs: number,
  count: 'requests' | 'times' = 'times',
): (error: unknown, message: string) => void {
  let pending = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (error, message) => {
    pending += 1;
    const at = now();
    if (at >= loggedAt && at - loggedAt < pauseMs) return;
    log.warn({ err: error, [count]: pending }, message);
    pending = 0;
    loggedAt = at;
  };
}
