import { setImmediate } from 'node:timers/promises';

/** Polls `condition` until it returns true. Only the test timeout limits it. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setImmediate();
}
