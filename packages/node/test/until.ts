import { setImmediate } from 'node:timers/promises';

/**
 * Runs `step` once per iteration of the event loop until the condition is true. If it never becomes true, the test
 * fails with a timeout.
 */
export async function until(isDone: () => boolean, step: () => void = () => {}): Promise<void> {
  while (!isDone()) {
    step();
    await setImmediate();
  }
}
