import type { Runtime } from '../runtime.ts';

/**
 * A warning whose cause may come thousands of times: told at once, then once a pause, with how often it came since.
 * @param count what the log calls that number
 * @returns what tells of it
 */
export function throttledWarning(
  { log, now }: Pick<Runtime, 'log' | 'now'>,
  pauseMs: number,
  count: 'requests' | 'times' = 'times',
): (error: unknown, message: string) => void {
  let untold = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return (error, message) => {
    untold += 1;
    const at = now();
    if (at >= toldAt && at - toldAt < pauseMs) return;
    log.warn({ err: error, [count]: untold }, message);
    untold = 0;
    toldAt = at;
  };
}
