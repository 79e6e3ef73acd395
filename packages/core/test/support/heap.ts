import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects garbage, then returns the memory in use in bytes, including memory outside of the V8 heap. */
export function liveBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Runs the work, and repeatedly measures the memory in use. Returns the result, and the largest growth in bytes. Each
 * measurement collects garbage, which is slow. The pauses between them are long enough that all measurements together
 * take at most about a fifth of the time.
 */
export async function measureGrowth<T>(work: () => Promise<T>): Promise<{ result: T; growth: number }> {
  const before = liveBytes();
  let growth = 0;
  let isRunning = true;
  const measureRepeatedly = async () => {
    while (isRunning) {
      const start = performance.now();
      growth = Math.max(growth, liveBytes() - before);
      await sleep(Math.max(100, 4 * (performance.now() - start)));
    }
  };
  const measured = measureRepeatedly();
  try {
    const result = await work();
    return { result, growth: Math.max(growth, liveBytes() - before) };
  } finally {
    isRunning = false;
    await measured;
  }
}
