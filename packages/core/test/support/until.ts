import { setImmediate } from 'node:timers/promises';

/** Asks again and again, until the answer is yes. The test's own timeout is the limit. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await setImmediate();
}
