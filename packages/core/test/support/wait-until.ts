import { setImmediate } from 'node:timers/promises';

/**
 * Polls `condition` until it returns true. It never times out by itself: the timeout of the test is the
 * limit.
 */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setImmediate();
}
