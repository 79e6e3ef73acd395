import { setImmediate } from 'node:timers/promises';

/** Lets the event loop turn, and `step` act at every turn, until something is so. The test's timeout is the limit. */
export async function until(isSo: () => boolean, step: () => void = () => {}): Promise<void> {
  while (!isSo()) {
    step();
    await setImmediate();
  }
}
