import { setImmediate } from 'node:timers/promises';

const MAX_TURNS = 200_000;

/** Lets the event loop turn, and `step` act at every turn, until something is so. */
export async function until(isSo: () => boolean, step: () => void = () => {}): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    if (isSo()) return;
    step();
    await setImmediate();
  }
  throw new Error(`Not so after ${MAX_TURNS} turns: ${isSo}`);
}
