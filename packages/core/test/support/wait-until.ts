import { setImmediate } from 'node:timers/promises';

/** Polls `condition` until it returns true. Only the test timeout ends the polling earlier. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setImmediate();
}
