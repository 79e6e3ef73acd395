import { setImmediate, setTimeout } from 'node:timers/promises';

/** Turns of the event loop. Most conditions become true within them. */
const TURNS_WITHOUT_PAUSE = 50;
const PAUSE_MS = 3;

/** Polls `condition` until it returns true. Only the test timeout ends the polling earlier. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await condition()); turn++) {
    // Polling without pauses would use a whole processor while the test waits for a server or a timer.
    await (turn < TURNS_WITHOUT_PAUSE ? setImmediate() : setTimeout(PAUSE_MS));
  }
}
