import { setImmediate } from 'node:timers/promises';

/**
 * Runs `step` in every turn of the event loop until the condition is true. Only the test timeout ends the loop
 * earlier.
 */
export async function until(isDone: () => boolean, step: () => void = () => {}): Promise<void> {
  while (!isDone()) {
    step();
    await setImmediate();
  }
}
